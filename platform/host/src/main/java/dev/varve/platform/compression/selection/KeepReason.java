package dev.varve.platform.compression.selection;

/** Why tokens stay; of several reasons the first one counts. */
public enum KeepReason {
    /** The text is too short to leave anything out. */
    WHOLE,
    /** Nobody may touch them. */
    PROTECTED,
    /** They begin the text. */
    HEAD,
    /** They end the text. */
    TAIL,
    /** Words of the text's end stand there. */
    ANCHOR,
    /** Words of such a place stand there. */
    TRANSITIVE,
    /** A token stands there that comes again and again. */
    REPEAT,
    /** Their score is among the best. */
    SCORE,
    /** They complete a word or a character. */
    WORD
}
