package dev.varve.platform.store;

/** What an object is good for. */
public enum ObjectKind {
    /** Rows of some tokens, which others lie behind. */
    BLOCK,
    /** State from which a sequence can go on; nothing lies behind it. */
    CHECKPOINT,
    /** Hidden states of the tokens of a block or checkpoint, behind the same block as that. */
    FEATURES
}
