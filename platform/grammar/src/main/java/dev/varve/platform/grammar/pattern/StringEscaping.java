package dev.varve.platform.grammar.pattern;

/** Encoding of a string's characters in a text in UTF-8. */
public enum StringEscaping {
    /** Without escapes. */
    PLAIN,

    /** Escaped as between the quotes of a JSON string. */
    JSON
}
