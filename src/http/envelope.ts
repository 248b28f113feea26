import { type TSchema, Type } from '@sinclair/typebox';

/** The shape of every successful JSON answer. */
export function Envelope<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), message: Type.String(), data });
}

/** The shape of every failed JSON answer. */
export const ErrorEnvelope = Type.Object({
  success: Type.Literal(false),
  message: Type.String(),
  errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
});

/** @param data the payload of a successful answer */
export function envelope<T>(message: string, data: T) {
  return { success: true as const, message, data };
}
