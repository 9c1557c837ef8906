package dev.varve.platform.compression.selection;

/** Why tokens are kept; of several reasons the first one counts. */
public enum KeepReason {
    /** The text is too short for dropping. */
    WHOLE,
    /** They are protected. */
    PROTECTED,
    /** They are at the beginning of the text. */
    HEAD,
    /** They are at the end of the text. */
    TAIL,
    /** They match words of the text's end. */
    ANCHOR,
    /** They match words of an anchor. */
    TRANSITIVE,
    /** Their chunk contains a recurring token. */
    REPEAT,
    /** Their chunk's score is among the best. */
    SCORE,
    /** They complete a word or a character. */
    WORD
}
