import type { Block, LeftOutReason } from './block.ts';

/**
 * Lines that content systems put between the paragraphs of an article. A pattern is a regular expression for a whole line in
 * lower case, without punctuation around it: `…` stands for up to four words, `……` for anything.
 */
interface StandingLines {
  readonly reason: LeftOutReason;
  /** A line that ends as a sentence is kept. */
  readonly isNoSentence?: boolean;
  readonly patterns: Readonly<Record<'en' | 'de' | 'fr' | 'es', readonly string[]>>;
}

const networks =
  '(?:facebook|twitter|x|instagram|linkedin|whatsapp|youtube|tiktok|pinterest|reddit|telegram|bluesky|mastodon|threads|tumblr|flipboard|google(?: news| discover| actualités| noticias)?|xing|messenger|e-?mail|mail)';

const standingLines: readonly StandingLines[] = [
  {
    reason: 'advertisement',
    patterns: {
      en: [
        '(?:an? )?(?:ads?|advert|advertisements?|advertising|advertorial)',
        '(?:paid|sponsored|promoted|partner|branded)(?: (?:content|post|advertisement|article|stories|links|message))?',
        'sponsored by …',
        '(?:this )?(?:story|article|content|post|text|video|list) continues(?: (?:below|after|under|beneath|following)(?: (?:this|the|our|an?|these))?(?: (?:ads?|advert|advertisements?|message|promotion|video|gallery|newsletter))?)?',
        '(?:continue|keep) reading (?:below|after|under) …',
        '(?:continues|continued) (?:below|after|under)(?: (?:this|the|our))? (?:ad|advert|advertisement)',
        '(?:advertisement|ad)[ :.–—-]+(?:scroll|story|article|continue)……',
        'scroll (?:down )?(?:to continue|for more|to keep reading)(?: …)?',
        '(?:remove|report|skip|hide|close)(?: (?:this|the|an|all))? (?:ads?|advertisements?)',
        '(?:ad|advertisement) (?:feedback|choices)',
        'why (?:am i seeing|do i see) this ad(?:vertisement)?',
        'powered by (?:taboola|outbrain|google)',
        '(?:by )?(?:taboola|outbrain)',
        '(?:you may like|around the web|from the web|from our partners|sponsored stories|promoted stories)',
      ],
      de: [
        '(?:werbe)?anzeigen?',
        'werbung',
        'gesponsert(?:er (?:inhalt|beitrag))?(?: von …)?',
        'bezahlter (?:inhalt|beitrag)',
        '(?:ende der|hier beginnt die) (?:anzeige|werbung)',
        '(?:(?:der|dieser) )?(?:artikel|text|beitrag|inhalt)(?: (?:wird|geht))? (?:nach|unter)(?: (?:der|dieser))? (?:anzeige|werbung)(?: (?:weiter|fortgesetzt))?',
        '(?:(?:hier|unten) )?(?:weiter|weiterlesen|weiter geht es|lesen sie weiter|mehr)(?: …)? (?:nach|unter)(?: (?:der|dieser))? (?:anzeige|werbung)',
        'nach(?: der)? (?:anzeige|werbung)(?: …)?(?: (?:weiter|weiterlesen))?',
        '(?:anzeige|werbung) (?:ausblenden|melden|entfernen|schließen|überspringen)',
        'warum sehe ich (?:diese|hier) …',
      ],
      fr: [
        'publicités?',
        '(?:la )?pub',
        'annonces?(?: …sponsorisées?)?',
        'contenu (?:sponsorisé|partenaire|de marque)',
        'sponsorisé(?: par …)?',
        "(?:la )?suite(?: (?:de l'article|du texte|de votre lecture))? (?:après|sous)(?: (?:la|cette|l'))? ?(?:publicité|pub|annonce)",
        "(?:l'article|le texte|cet article) (?:continue|se poursuit|reprend) (?:après|sous) …",
        '(?:continuez|poursuivez)(?: (?:votre|la))? (?:lecture|à lire) après …',
        '(?:fermer|passer|masquer|signaler) (?:la |cette )?(?:publicité|pub|annonce)',
      ],
      es: [
        '(?:fin de la )?publicidad',
        'anuncios?(?: …publicitarios?)?',
        'contenido (?:patrocinado|de marca|promocionado)',
        'patrocinado(?: por …)?',
        '(?:(?:la|el|este|esta) )?(?:historia|artículo|nota|noticia|contenido|texto|información) (?:continúa|sigue)(?: (?:después|debajo|abajo|tras|luego)(?: (?:del?|la|el|este))*(?: (?:anuncio|publicidad))?)?',
        '(?:continúa|continuar|sigue|seguir) leyendo(?: (?:después|debajo|tras|luego)(?: …)?)?',
        '(?:después|tras)(?: (?:del|de la|la|el))? (?:anuncio|publicidad)',
        '(?:cerrar|saltar|ocultar|omitir)(?: (?:la|el|este))? (?:publicidad|anuncio)',
      ],
    },
  },
  {
    reason: 'sign-up box',
    patterns: {
      en: [
        '(?:please )?(?:subscribe|sign up|sign in|log in|login|log out|register)(?: (?:now|here|today|free|for free))?',
        '(?:please )?(?:(?:log in|sign in|sign up|register)(?: or|,| \\/) )?(?:subscribe|sign up|sign in|log in|register)(?: (?:now|here|today|free))? to (?:continue|keep|read|get|receive|access|unlock|view|comment|leave|post|see|save|our|the|us|join)(?:……)?',
        '(?:sign up|subscribe|register)(?: …)? (?:for|to) (?:……)?(?:newsletters?|e-?mails?|alerts?|updates|briefings?|digest|podcast|inbox|channel)(?:……)?',
        '……(?:delivered|sent|straight|right|directly) (?:straight |right |directly )?(?:to|in|into) your (?:e-?mail )?inbox(?: …)?',
        'get (?:……)?(?:newsletters?|alerts|updates|headlines|stories|news|briefing)(?: ……)? (?:inbox|e-?mail|in your …|to your …)(?:……)?',
        'already (?:a |an )?(?:(?:have an|registered|subscribed|signed up)|(?:subscriber|member|account holder))(?:……)?',
        "(?:i'm|i am|are you) (?:already )?a (?:subscriber|member)(?:……)?",
        "(?:don't|do not) have an account(?:……)?",
        'create(?: (?:an?|your))?(?: (?:free|new))? account(?:……)?',
        '(?:this|the) (?:article|story|content|post|page) is (?:(?:only|exclusively|reserved) )*(?:for|available to)(?: …)? (?:subscribers|members)(?: only)?',
        '(?:for )?(?:subscribers?|members?)[ -]only(?: …)?',
        '(?:become|be) an? (?:member|subscriber|supporter|patron)(?: (?:today|now|to …|of …|and …))?',
        'start (?:your|a) (?:free|\\d+-day) trial(?: …)?',
        'you have (?:……)?(?:free )?(?:articles|stories)(?: (?:left|remaining)(?: …)?)?',
        "you(?:'ve| have) (?:reached|hit|used) (?:……)?(?:limit|free (?:articles|stories))(?:……)?",
        '(?:support|fund) (?:our|independent|local|quality)(?: …)? journalism(?: …)?',
        'donate(?: (?:now|today|here))?',
        '(?:(?:enter|type|please enter|type in) (?:your|an?)(?: valid)? )?e-?mail(?: address)?(?: (?:here|below))?',
        'your e-?mail(?: address)?',
        'by (?:signing up|subscribing|clicking|submitting|registering|entering)(?:……)? you (?:agree|accept|consent|acknowledge)(?:……)?',
        '(?:manage|cancel)(?: (?:my|your))? (?:account|subscriptions?|newsletters|preferences)',
        'download (?:the|our) (?:……)?app(?: …)?',
      ],
      de: [
        '(?:(?:jetzt|hier|bitte|kostenlos|gratis|newsletter|direkt) )*(?:abonnieren|anmelden|registrieren|einloggen|freischalten|login)',
        '(?:(?:jetzt|hier|newsletter|kostenlos|gratis|abo) )+(?:bestellen|testen|weiterlesen|sichern)',
        '(?:jetzt )?(?:\\d+|einen|ein|vier|sechs) (?:tage?|wochen?|monate?|jahr)(?: …)? testen',
        '(?:abonnieren|bestellen) sie (?:……)?(?:newsletter|kanal|podcast|app|whatsapp-kanal)(?:……)?',
        '(?:melden|registrieren|loggen) sie sich (?:……)?(?:an|ein|newsletter|kostenlos|um weiterzulesen)(?:……)?',
        'mit (?:……)?(?:abo|plus|\\+) weiterlesen',
        'weiterlesen mit …',
        '(?:sie sind )?(?:bereits|schon) (?:abonnent(?:in)?|kund(?:e|in)|registriert|mitglied|ein konto|abonniert)(?:……)?',
        '(?:dieser|der|diesen) (?:artikel|text|inhalt|beitrag) ist (?:……)?(?:abonnenten|abonnentinnen|abo|kostenpflichtig|registrierte nutzer|registrierten nutzern)(?:……)?',
        'sie haben noch kein (?:konto|abo|abonnement)(?:……)?',
        'exklusiv für abonnenten(?:……)?',
        '(?:zum|unser|unsere) newsletter(?: anmelden)?',
        'mit (?:der|ihrer|meiner) (?:anmeldung|registrierung) (?:……)?(?:datenschutz\\S*|einverstanden|nutzungsbedingungen|agb)(?:……)?',
        '(?:ihre )?e-?mail-?adresse(?: eingeben)?',
        'passwort vergessen',
      ],
      fr: [
        "(?:(?:déjà|pas encore) abonnée?|abonnez-vous|s'abonner|je m'abonne|se connecter|connectez-vous|s'inscrire|inscrivez-vous|créer un compte)(?: (?:ici|maintenant|gratuitement))?",
        '(?:abonnez-vous|inscrivez-vous|connectez-vous|identifiez-vous) (?:à|pour|et|gratuitement|dès) ……',
        '(?:déjà|vous êtes déjà) (?:abonnée?|inscrite?|membre)(?:……)?',
        "(?:cet article|ce contenu|la suite|l'accès à …|article|contenu) (?:est )?(?:réservée?s?) (?:aux|à nos) (?:abonnés|membres|adhérents)(?:……)?",
        'il vous reste ……(?:à lire|article).{0,80}',
        "(?:lire|accéder à) (?:……)?(?:abonnés|abonnement|s'abonnant)(?:……)?",
        'recevez (?:……)?(?:newsletter|lettre|e-?mail|alertes|boîte)(?:……)?',
        '(?:(?:saisissez|entrez|indiquez) )?votre (?:adresse )?e-?mail',
        'en (?:vous inscrivant|cliquant|poursuivant) (?:……)?vous (?:acceptez|reconnaissez)(?:……)?',
        'mot de passe oublié',
        '(?:soutenez (?:……)?(?:journalisme|presse|rédaction)(?: …)?|faites un don)',
      ],
      es: [
        '(?:suscríbete|suscríbase|suscribirse|regístrate|regístrese|registrarse|inicia sesión|inicie sesión|iniciar sesión|crear cuenta|hazte socio|únete)(?: (?:aquí|ahora|gratis|ya))?',
        '(?:suscríbete|suscríbase|regístrate|regístrese|inicia sesión|inicie sesión|apúntate|únete) (?:a|para|y|gratis|al|en|desde) ……',
        '¿?(?:ya|aún no|todavía no) (?:eres|es|tienes|estás|tiene)(?: …)? (?:suscriptora?|suscrito|registrado|cuenta|socio)(?:……)?',
        '(?:este|el|esta|la) (?:artículo|contenido|noticia|información) (?:es|está) (?:……)?(?:suscriptores|socios|registrados)(?:……)?',
        '(?:contenido )?(?:exclusivo|solo|sólo) para (?:suscriptores|socios|miembros)(?:……)?',
        'recibe (?:……)?(?:newsletter|boletín|correo|alertas|bandeja)(?:……)?',
        '(?:introduce|escribe|ingresa|introduzca) (?:tu|su) (?:correo|e-?mail)(?: electrónico)?',
        'al (?:suscribirte|registrarte|hacer clic|continuar|suscribirse) (?:……)?(?:aceptas?|acepta)(?:……)?',
        '(?:te|le) quedan (?:……)?artículos(?: …)?',
        '(?:apoya (?:……)?periodismo(?: …)?|haz una donación|dona(?: (?:ahora|aquí))?)',
      ],
    },
  },
  {
    reason: 'share bar',
    patterns: {
      en: [
        `(?:share|tweet|pin|post|save|print|e-?mail)(?: (?:this|it|the))?(?: (?:article|story|post|page|video|link|recipe))?(?: (?:on|via|with|to|by|using) (?:${networks}|your friends|friends|others)(?:(?:,| and| or) ${networks})*)?`,
        `(?:follow|like|find|join)(?: …)? on ${networks}(?:(?:,| and|, and| or) (?:on )?${networks})*(?:(?: at|:)? @?\\S+)?`,
        'follow (?:us|me|him|her|them|@\\S+|the author|this topic)(?: (?:on|at|for) …)?',
        '(?:copy|get) (?:the )?link(?: …)?',
        '(?:link copied(?: …)?|(?:follow|join|get) (?:……)?(?:whatsapp|telegram) channel(?: …)?)',
        '\\d[\\d.,k]* (?:shares?|likes?|reads|views|retweets?|tweets|reactions|claps|followers|upvotes?)',
        '(?:(?:share|listen|save|gift|print|comment)(?: (?:this )?(?:article|story))?|share \\d+)',
        'click to (?:share|tweet|email|print)(?: …)?(?: \\(opens in new window\\))?',
      ],
      de: [
        `(?:artikel |beitrag |seite |diesen (?:artikel|beitrag) )?(?:auf|per|bei|via) ${networks}(?: (?:teilen|folgen|senden|weiterleiten))?`,
        '(?:(?:den|diesen) )?(?:artikel|beitrag|seite|text) (?:teilen|drucken|merken|versenden|empfehlen|weiterempfehlen|kommentieren)',
        '(?:teilen|drucken|merken|feedback)',
        `(?:folgen|folge) (?:sie )?uns(?: (?:auf|bei) ${networks}(?:(?:,| und) ${networks})*)?`,
        '(?:link|url) kopier(?:en|t)(?: …)?',
        '\\d[\\d.]* (?:mal geteilt|shares|likes)',
      ],
      fr: [
        `(?:partager|partagez|tweeter|imprimer|envoyer|commenter|réagir)(?: (?:cet|l'|cette|le|ce))?(?: ?(?:article|page|lien|contenu))?(?: (?:sur|par|via) ${networks})?`,
        `(?:suivez|retrouvez)(?:-nous|-moi| …) sur ${networks}(?:(?:,| et) ${networks})*`,
        '(?:suivez-(?:nous|moi)|(?:suivez|rejoignez|retrouvez) (?:……)?chaîne (?:whatsapp|telegram)(?: …)?)',
        '(?:copier le lien|lien copié)(?: …)?',
        "enregistrer(?: l'article)?",
        '\\d[\\d .]* (?:partages?|réactions?)',
      ],
      es: [
        `(?:compartir|comparte|compártelo|comparta|tuitear|imprimir|enviar|guardar|comentar)(?: (?:este|esta|el|la|esto))?(?: (?:artículo|noticia|nota|página|enlace))?(?: (?:en|por|vía|con) ${networks})?`,
        `(?:síguenos|síganos|sígueme|encuéntranos)(?: (?:en|a través de) ${networks}(?:(?:,| y| e) ${networks})*)?`,
        '(?:(?:copiar enlace|enlace copiado)(?: …)?|(?:sigue|siga|únete|consulta|recibe|lee) (?:……)?canal de (?:whatsapp|telegram)(?: …)?)',
        '\\d[\\d.]* (?:compartidos?|reacciones)',
      ],
    },
  },
  {
    reason: 'reader comments',
    patterns: {
      en: [
        '(?:\\d[\\d.,k]* |no |view |show |see |read |load |hide |all |more |post |leave )*comments?(?: \\(?\\d+\\)?)?(?: (?:so far|yet|on …|below))?',
        '(?:leave|add|post|write|submit)(?: (?:a|your))? (?:comment|reply|response)',
        'join the (?:conversation|discussion)(?: …)?',
        'be the first to (?:comment|reply|share …)',
        '(?:comments are|commenting is|this thread is|comments) (?:now )?(?:closed|off|disabled|turned off|moderated)(?: …)?',
        '(?:what do you think|tell us what you think|let us know)(?: …)? (?:in )?the comments(?: below| section)?',
        'please (?:……)?(?:javascript|java script)(?:……)?comments(?:……)?',
        'required fields are marked(?: …)?',
        'your email address will not be published(?:……)?',
        'cancel reply',
      ],
      de: [
        '(?:\\d+ |keine |alle |weitere |mehr |zu den |zum )*kommentare?(?: (?:\\(?\\d+\\)?|anzeigen|lesen|schreiben|ansehen|laden|verfassen))?',
        '(?:schreiben|hinterlassen) sie (?:einen|den ersten) kommentar',
        '(?:diskutieren|diskutiere|reden) (?:sie )?mit(?: …)?',
        'jetzt mitdiskutieren',
        'die kommentarfunktion (?:……)?geschlossen(?:……)?',
      ],
      fr: [
        '(?:\\d+ |aucun |voir les |lire les |tous les |afficher les )?commentaires?(?: \\(?\\d+\\)?)?',
        '(?:laisser|laissez|ajouter|poster|écrire) un commentaire',
        'soyez le premier à (?:commenter|réagir)',
        'les commentaires sont (?:fermés|clos)(?: …)?',
        'votre adresse e-?mail ne sera pas publiée(?:……)?',
      ],
      es: [
        '(?:\\d+ |sin |ver |ver los |leer |todos los |mostrar )?comentarios?(?: \\(?\\d+\\)?)?',
        '(?:deja|dejar|escribe|añade|haz) (?:un|tu) comentario',
        '(?:sé|sea) el primero en comentar',
        'los comentarios están (?:cerrados|desactivados)(?: …)?',
        'tu dirección de correo electrónico no será publicada(?:……)?',
      ],
    },
  },
  {
    reason: 'caption',
    isNoSentence: true,
    patterns: {
      en: [
        '(?:file |stock )?(?:photo|image|picture|photograph|illustration|graphic|screenshot|photographs)s?(?: credits?)?(?: by| courtesy(?: of)?|:| \\/| ©|:? ©) ……',
        '(?:photo|image|picture|video)s? ?credits?:? ……',
        '(?:credits?|courtesy(?: of)?) ?: ……',
        '……[/|] ?(?:getty(?: images)?|afp|ap|reuters|epa|shutterstock|istock|bloomberg)(?: ……)?',
        '(?:getty images|shutterstock|istock|reuters|associated press)(?: \\/ ……)?',
        '(?:enlarge|expand|click to enlarge)(?: this)?(?: (?:image|photo|picture))?',
        '(?:hide|show|toggle) caption',
      ],
      de: [
        '(?:fotos?|bild(?:er)?|bildquelle|bildnachweis|grafik|illustration|symbolbild|symbolfoto|archivbild|archivfoto|quelle|credit)(?: von| ©| ?:| \\/) ……',
        '(?:symbolbild|symbolfoto|archivbild|archivfoto|quelle: \\S+)',
        '(?:bild|foto) (?:vergrößern|öffnen)',
        '……[/|] ?(?:dpa|imago(?: images)?|picture alliance|afp|ddp|epd|kna)(?: ……)?',
      ],
      fr: [
        "(?:photos?|crédits?(?: photos?)?|illustration|image|infographie|photographie)(?: ?:| ?\\/| ©| d'archives| par) ……",
        "(?:photo|image) d'(?:illustration|archives)",
        "(?:agrandir|zoomer)(?: (?:l'image|la photo))?",
        '……[/|] ?(?:afp|sipa|maxppp|hans lucas)(?: ……)?',
      ],
      es: [
        '(?:fotos?|fotografía|imagen|créditos?|ilustración|gráfico|fuente|infografía)(?: ?:| ?\\/| ©| por| cortesía) ……',
        '(?:foto|imagen) (?:de archivo|ilustrativa|referencial)',
        '(?:ampliar|ver)(?: la)? (?:foto|imagen)',
        '……[/|] ?(?:efe|afp|europa press|ep|archivo)(?: ……)?',
      ],
    },
  },
  {
    reason: 'page furniture',
    patterns: {
      en: [
        '(?:(?:additional|further) )?(?:reporting|writing|compiled|editing) by .{2,150}[;,] ?(?:(?:additional|further) )?(?:writing|editing|compiled|reporting|production|graphics|translated) by .{2,150}',
        '(?:(?:additional|further) )?(?:reporting|writing|editing|compiled) by .{2,80}\\)',
        '.{2,150} contributed (?:reporting|to this (?:report|story|article))(?: from …)?',
        '(?:this (?:story|article|report) (?:was|is) )(?:produced|generated|published|supplied|provided|syndicated|written)(?: …)? (?:from|by|via) (?:……)?(?:feed|agency|syndicate|wire|staff)(?:……)?',
        '(?:except for the headline|this story has not been edited) ……',
        '(?:copyright|©|c\\)|copyright (?:©|\\(c\\))),? ?(?:\\d{4}|by )……',
        '© ?……',
        '(?:.{0,100} )?all rights reserved(?:……)?',
        '(?:this|our) (?:material|content|article|website|site) may not be (?:published|reproduced|copied|redistributed)(?:……)?',
        '(?:(?:our|see our|read our) )?(?:terms of (?:use|service)|terms (?:and|&) conditions)(?:(?:,| and| &| \\|)(?: our)? (?:privacy|cookie) (?:policy|notice|statement))?(?: apply)?',
        '(?:(?:our|see our|read our) )?privacy (?:policy|notice|statement)(?:(?:,| and| &| \\|)(?: our)? terms (?:of|and|&) \\S+)?(?: apply)?',
        '(?:do not sell(?: or share)? my (?:personal )?(?:information|data|info)|your privacy choices|ad choices|cookie (?:policy|settings|preferences))',
        '(?:estimated )?(?:read|reading|listening) time[: ]*(?:……)?\\d+(?: …)?',
        '\\d+ ?(?:min|mins|minute|minutes)\\.? (?:read|listen|watch|reading time)',
        '(?:do you )?(?:have|got)(?: (?:a|any|an))? (?:news )?(?:tips?|story (?:idea|tip)s?|confidential tip|corrections?|questions? or comments?|something to share|more information)(?: (?:for us|to share|on this story|about this story))?(?:……)?',
        '(?:contact|reach|e-?mail)(?: (?:the (?:author|reporter|writer|editor)|us|him|her|them|me)| [\\w. ]{2,40})(?: (?:at|on|via)|:) \\S+@\\S+',
        'send (?:us )?(?:your )?(?:tips|news tips|feedback|corrections|comments) to ……',
        '(?:report|submit|request)(?: (?:a|an))? (?:correction|error|typo|issue)(?: …)?',
        '(?:see|read) (?:our )?(?:more|full) (?:corrections policy|ethics policy|editorial standards)',
        '(?:our standards|editorial standards|ethics policy)(?:: ……)?',
        'page \\d+(?: (?:of|\\/) \\d+)?',
        '(?:\\S+ ){0,6}\\d{4} ?\\[page \\d+',
        '(?:back|return|scroll|jump|go) to (?:the )?(?:top|article|main page|home ?page|results)',
        'skip to (?:main |the )?(?:content|navigation|article|footer)',
        '(?:previous|next|older|newer) (?:page|article|story|post|posts|entries|slide)',
        '(?:view|see|show|load|browse|read) (?:all|more)(?: (?:stories|articles|posts|results|photos|images|videos|news|from …|in …|about …))?',
        '(?:topics|tags|filed under|filed in|categories|category|posted in|tagged|tagged with|labels|in this article|more about|more on)(?: ?:)(?: ……)?',
        '(?:filed under|posted in|tagged(?: with)?) ……',
        '(?:you need|please enable|enable|this (?:site|page|video) requires|your browser does not support|javascript)(?: …)? (?:javascript|cookies|flash|html5|video|the video tag|player|is (?:disabled|required))(?:……)?',
        '(?:this|our) (?:site|website|page) uses cookies(?:……)?',
        '(?:we|and our partners) use cookies(?:……)?',
        '(?:loading|please wait)(?: …)?',
        '(?:about|more from|more by|written by|more about) the authors?',
        '(?:close|open|toggle|main|expand|hide) (?:menu|navigation|search|modal|dialog|sidebar)',
        '(?:start|stop|pause|play|listen to)(?: (?:the|this))?(?: (?:video|audio|slideshow|article|story|podcast))',
        '(?:was this (?:article|page|information|answer) (?:helpful|useful)|did you (?:like|enjoy|find) this (?:……)?)',
      ],
      de: [
        '(?:bericht|reportage|geschrieben|redigiert|redaktion|mitarbeit|reporter)(?: (?:von|durch))?:? .{2,150}[;,] ?(?:redigiert|bearbeitet|redaktion)(?: (?:von|durch))?:? .{2,150}',
        'mit (?:material|informationen|inhalten|agenturmaterial)(?: (?:von|der|aus|des))? (?:……)?(?:dpa|afp|reuters|ap|kna|epd|sid|agentur(?:en)?)(?:……)?',
        '(?:quellen?|von):? ?(?:dpa|afp|reuters|ap|sid|kna|epd)(?:(?:,|\\/| und) ?\\S+){0,4}',
        '(?:©|\\(c\\)|copyright) ?……(?:dpa|afp|reuters)(?:……)?',
        'dpa:\\d{6}-\\S+(?: \\S+)?',
        '(?:.{0,100} )?alle rechte vorbehalten(?:……)?',
        '(?:lesezeit|lesedauer|hördauer)[: ]*(?:ca\\.? )?\\d+(?: …)?',
        '(?:ca\\.? )?\\d+ ?(?:min|minuten?)\\.? (?:lesezeit|lesedauer|zu lesen)',
        '(?:haben sie|sie haben)(?: …)? (?:hinweise?|tipps?|fehler|anregungen|informationen)(?: …)?(?: (?:gefunden|entdeckt|für uns))?\\? (?:dann )?(?:schreiben|mailen|melden|kontaktieren|senden)……',
        '(?:fehler (?:gefunden|entdeckt|melden)|korrektur melden)(?:……)?',
        '(?:hinweise|feedback|fragen)(?: …)? an:? \\S+@\\S+',
        'seite \\d+(?: (?:von|\\/) \\d+)?',
        '(?:zur|zurück zur|zum)(?: …)? (?:startseite|übersicht|seitenanfang|hauptseite)',
        '(?:nach oben|zum anfang|zum seitenanfang|zum inhalt(?: springen)?)',
        '(?:mehr|alle|weitere) (?:artikel|beiträge|nachrichten|meldungen|bilder)(?: (?:anzeigen|laden|lesen|zum thema|aus …|von …))?',
        '(?:nächste|vorherige|voriger|nächster) (?:seite|artikel|beitrag)',
        '(?:themen|schlagwörter|stichwörter|schlagworte|tags|mehr zum thema|rubrik|kategorien?) ?:(?: ……)?',
        '(?:datenschutz(?:erklärung|hinweise)?|impressum|agb|nutzungsbedingungen|cookie-einstellungen)(?:(?:,| \\||\\/| und)? (?:datenschutz\\S*|impressum|agb|nutzungsbedingungen|kontakt))*',
        '(?:diese|unsere) (?:seite|website|webseite) (?:verwendet|nutzt|benutzt) cookies(?:……)?',
        '(?:wird geladen|bitte warten)(?: …)?',
        '(?:über|mehr von|mehr über|zu)(?: (?:den|die|dem|der))? (?:autor(?:in|en)?|verfasser(?:in)?)',
        '(?:empfohlener|externer) (?:redaktioneller )?inhalt(?: …)?',
        'an dieser stelle finden sie (?:……)?(?:inhalt|inhalte)(?:……)?',
        'ich bin damit einverstanden,? dass mir externe inhalte(?:……)?',
      ],
      fr: [
        '(?:reportage|rédigé|écrit|édité|traduit|version française|avec|rédaction)(?: (?:de|par|du))?:? .{2,150}[;,] ?(?:édité|rédigé|traduit|version française|rédaction|montage)(?: (?:de|par|du))?:? .{2,150}',
        "(?:avec|source ?:|d'après)(?: (?:l'|les?))? ?(?:afp|reuters|ap|agences?)(?:(?:,| et) (?:l')?\\S+){0,3}",
        '(?:.{0,100} )?tous droits réservés(?:……)?',
        'reproduction (?:……)?interdite(?:……)?',
        "(?:temps|durée) (?:de lecture|d'écoute)(?: estimée?)? ?:? ?(?:……)?\\d+(?: …)?",
        'lecture(?: ?:)? \\d+ ?(?:min|minutes?)(?: …)?',
        '\\d+ ?(?:min|minutes?)\\.? de lecture',
        '(?:une|vous avez une|vous avez repéré une) (?:information|erreur|faute|coquille|suggestion|question)(?:……)?(?:contactez|écrivez|signalez|dites|envoyez)(?:……)?',
        '(?:signaler|corriger) une (?:erreur|faute)(?: …)?',
        'page \\d+(?: (?:sur|de) \\d+)',
        "(?:retour|revenir|aller)(?: (?:en|à|au|vers))?(?: (?:l'|le|la))? ?(?:haut(?: de (?:la )?page)?|accueil|contenu|sommaire)",
        '(?:voir|afficher|charger|lire) (?:tous|toutes|plus)(?: …)?',
        '(?:page|article) (?:suivante?|précédente?)',
        '(?:mots-clés|thèmes|tags|sujets|étiquettes|rubriques?|catégories?) ?:(?: ……)?',
        "(?:mentions légales|politique de confidentialité|conditions (?:générales(?: …)?|d'utilisation)|gestion des cookies|données personnelles)(?: …)?",
        '(?:ce|notre) site (?:utilise|utilisent) (?:des |les )?cookies(?:……)?',
        '(?:chargement|veuillez patienter)(?: …)?',
        "(?:à propos|plus d'articles)(?: (?:de l'|des?|du))? ?(?:auteure?s?|autrice)",
      ],
      es: [
        '(?:reporte|reportaje|información|escrito|editado|redacción|con reporte)(?: (?:de|por))?:? .{2,150}[;,] ?(?:editado|edición|escrito|traducido|redacción|información adicional)(?: (?:en español))?(?: (?:de|por))?:? .{2,150}',
        '(?:con )?(?:información|datos|material) de (?:……)?(?:efe|afp|reuters|ap|europa press|agencias?|notimex)(?: ……)?',
        '(?:fuente|agencias?|por) ?:? ?(?:efe|afp|reuters|ap|europa press|agencias)',
        '(?:.{0,100} )?(?:todos los derechos reservados|reservados todos los derechos|derechos reservados)(?:……)?',
        'prohibida (?:la|su) reproducción(?:……)?',
        '(?:tiempo|minutos) de lectura(?: estimado)? ?:? ?(?:……)?\\d+(?: …)?',
        '(?:lectura(?: de)? ?:? )?\\d+ ?(?:min|minutos?)\\.? (?:de )?lectura',
        '¿?(?:tienes|tiene) (?:……)?(?:información|pista|denuncia|historia|sugerencia)(?:……)? (?:escríbenos|escriba|contáctanos|contacta|envía|cuéntanos)(?:……)?',
        '(?:reportar|informar de|avisar de)(?: un)? error(?:es)?(?: …)?',
        'página \\d+(?: de \\d+)?',
        '(?:volver|ir|regresar|subir)(?: (?:a|al))?(?: (?:la|el))? ?(?:inicio|arriba|portada|contenido|principio)',
        '(?:ver|leer|cargar|mostrar) (?:todos|todas|más)(?: …)?',
        '(?:página|artículo|noticia|nota|entrada) (?:siguiente|anterior)',
        '(?:temas|etiquetas|tags|archivado en|más sobre|secciones|categorías?) ?:(?: ……)?',
        'archivado en ……',
        '(?:aviso legal|política de (?:privacidad|cookies)|términos y condiciones|condiciones de uso)(?: …)?',
        '(?:este|nuestro) sitio(?: web)? (?:utiliza|usa) cookies(?:……)?',
        '(?:utilizamos|usamos) cookies(?:……)?',
        '(?:cargando|espere)(?: …)?',
        '(?:sobre|acerca de|más de)(?: (?:el|la|del|los))? (?:autor|autora|autores)',
      ],
    },
  },
];

const MAX_LINE_UNITS = 300;
const MAX_LINE_WORDS = 40;
const EDGES = /^[^\p{L}\p{N}©@¿]+|[^\p{L}\p{N})]+$/gu;

const compiled = standingLines.map(({ reason, isNoSentence = false, patterns }) => ({
  reason,
  isNoSentence,
  pattern: new RegExp(`^(?:${Object.values(patterns).flat().map(toPattern).join('|')})\\)?$`, 'u'),
}));

function toPattern(line: string): string {
  return line.replaceAll('……', '.{0,200}').replaceAll('…', '(?:\\S+(?: \\S+){0,3})');
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;
/** "Listen." and "“No comment”" are said by someone. */
const SPEECH = /^["“„«‚‘]|[.!?…]["”’»)]*$/;
const MAX_LABEL_WORDS = 2;

/** @returns why a whole line is no text of the article; undefined if it is */
export function findStandingLine({ kind, text: line }: Pick<Block, 'kind' | 'text'>): LeftOutReason | undefined {
  if (line.length > MAX_LINE_UNITS) return undefined;
  const text = line.toLowerCase().replace(/[’‘]/g, "'").replace(EDGES, '');
  const wordCount = text.split(' ').length;
  if (wordCount > MAX_LINE_WORDS || (wordCount <= MAX_LABEL_WORDS && SPEECH.test(line))) return undefined;
  // A heading or an item of one word may be a topic of the article: "Comments".
  if (wordCount === 1 && kind !== 'paragraph') return undefined;
  const isSentence = SENTENCE_END.test(line);
  return compiled.find(
    ({ isNoSentence, pattern }) => !(isNoSentence && (isSentence || kind === 'heading')) && pattern.test(text),
  )?.reason;
}

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.slice(-6));
}
