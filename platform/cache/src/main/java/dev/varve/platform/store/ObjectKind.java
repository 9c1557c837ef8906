package dev.varve.platform.store;

/** Kind of an object. */
public enum ObjectKind {
    /** Rows of some tokens; may be a parent of other objects. */
    BLOCK,
    /** State from which a sequence can resume; never a parent. */
    CHECKPOINT,
    /** Hidden states of the tokens of a block or checkpoint; has the same parent as that object. */
    FEATURES
}
