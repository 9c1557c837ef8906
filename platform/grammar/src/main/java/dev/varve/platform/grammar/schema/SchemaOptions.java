package dev.varve.platform.grammar.schema;

/**
 * Notation of the texts of a schema.
 *
 * @param whitespace white space between the tokens of JSON
 * @param anyOrder whether the properties of an object may come in any order instead of the schema's
 * @param formats whether {@code format} is enforced; otherwise it is an annotation, the default of
 *     the standard
 */
public record SchemaOptions(Whitespace whitespace, boolean anyOrder, boolean formats) {
    /** White space between the tokens of JSON. */
    public enum Whitespace {
        /** Nothing. */
        COMPACT,

        /**
         * Nothing, a space, or a new line with up to 64 spaces or tabs after opening brackets and
         * commas and before closing brackets; nothing or a space after colons.
         */
        FLEXIBLE
    }

    /** Flexible white space, the schema's order, enforced formats. */
    public static final SchemaOptions DEFAULT = new SchemaOptions(Whitespace.FLEXIBLE, false, true);

    /** With other white space. */
    public SchemaOptions with(Whitespace other) {
        return new SchemaOptions(other, anyOrder, formats);
    }

    /** With properties in any order. */
    public SchemaOptions inAnyOrder() {
        return new SchemaOptions(whitespace, true, formats);
    }

    /** With {@code format} as an annotation that forbids nothing. */
    public SchemaOptions withoutFormats() {
        return new SchemaOptions(whitespace, anyOrder, false);
    }
}
