package dev.varve.platform.grammar.pattern;

/** How the characters of a string stand in a text in UTF-8. */
public enum StringEscaping {
    /** As such. */
    PLAIN,

    /** As between the quotes of a JSON string. */
    JSON
}
