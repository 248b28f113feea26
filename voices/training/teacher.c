/* The teacher: libflite speaks sentences, and what its synthesizer computed inside is written down, not only heard:
 * the phones with their ends, and every 5 ms the pitch (0 = unvoiced), 25 mel-cepstra and 5 voicing strengths.
 *
 * usage: teacher VOICE OUT < sentences.tsv      VOICE is rms or slt; a sentence is id<TAB>text
 *        teacher VOICE --excitation             prints the voice's excitation filters (excitation.txt)
 *
 * A record, little endian: magic, id, phones, frames, 26, 5 (int32 each); a phone: name (8 bytes), end in s (float32),
 * 8 bytes unused; a frame: 31 float32. align.py reads it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <flite/flite.h>
#include <flite/cst_cg.h>

enum { MAGIC = 0x544d5031, CHANNELS = 26 };

cst_voice *register_cmu_us_slt(const char *);
cst_voice *register_cmu_us_rms(const char *);
extern cst_cg_db cmu_us_slt_cg_db, cmu_us_rms_cg_db;

static void write_int(FILE *file, int value) { fwrite(&value, 4, 1, file); }
static void write_float(FILE *file, float value) { fwrite(&value, 4, 1, file); }

static void print_excitation(const cst_cg_db *db)
{
    for (int i = 0; i < db->ME_num; i++) {
        for (int j = 0; j < db->ME_order; j++) printf("%.9g ", db->me_h[i][j]);
        printf("\n");
    }
}

static void write_sentence(FILE *out, int id, cst_utterance *utterance, cst_cg_db *db)
{
    cst_track *raw = val_track(utt_feat_val(utterance, "param_track"));
    cst_track *strengths = val_track(utt_feat_val(utterance, "str_track"));
    cst_track *track = db->do_mlpg ? mlpg(raw, db) : raw;
    cst_item *segments = relation_head(utt_relation(utterance, "Segment"));
    int phones = 0;
    for (cst_item *s = segments; s; s = item_next(s)) phones++;

    int header[] = {MAGIC, id, phones, track->num_frames, CHANNELS, strengths->num_channels};
    for (int i = 0; i < 6; i++) write_int(out, header[i]);
    for (cst_item *s = segments; s; s = item_next(s)) {
        char name[8] = {0};
        strncpy(name, item_feat_string(s, "name"), 7);
        fwrite(name, 8, 1, out);
        write_float(out, item_feat_float(s, "end"));
        write_int(out, 0);
        write_int(out, 0);
    }
    for (int i = 0; i < track->num_frames; i++) {
        int j = i < strengths->num_frames ? i : strengths->num_frames - 1;
        fwrite(track->frames[i], 4, CHANNELS, out);
        fwrite(strengths->frames[j], 4, strengths->num_channels, out);
    }
    if (track != raw) delete_track(track);
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "rms") && strcmp(argv[1], "slt"))) {
        fprintf(stderr, "usage: %s rms|slt OUT|--excitation < sentences.tsv\n", argv[0]);
        return 2;
    }
    flite_init();
    int is_rms = !strcmp(argv[1], "rms");
    cst_voice *voice = is_rms ? register_cmu_us_rms(NULL) : register_cmu_us_slt(NULL);
    cst_cg_db *db = is_rms ? &cmu_us_rms_cg_db : &cmu_us_slt_cg_db;
    if (!strcmp(argv[2], "--excitation")) {
        print_excitation(db);
        return 0;
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out) {
        perror(argv[2]);
        return 1;
    }
    char *line = NULL;
    size_t capacity = 0;
    long length;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        if (line[length - 1] == '\n') line[length - 1] = 0;
        *tab = 0;
        cst_utterance *utterance = flite_synth_text(tab + 1, voice);
        if (!utterance) continue;
        write_sentence(out, atoi(line), utterance, db);
        delete_utterance(utterance);
    }
    return fclose(out) ? 1 : 0;
}
