package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

/** Messages between a server and a shard process; the numbers never change. */
final class MessageType {
    /** What devices the process has. */
    static final int DESCRIBE = Message.FIRST_TYPE;

    /** Loads a layer range; progress messages tell how far. */
    static final int LOAD = Message.FIRST_TYPE + 1;

    /** Frees the range; another one may be loaded. */
    static final int UNLOAD = Message.FIRST_TYPE + 2;

    /** Runs a batch. */
    static final int FORWARD = Message.FIRST_TYPE + 3;

    // FIRST_TYPE + 4 moved rows apart from batches.

    // FIRST_TYPE + 5 to + 9 moved the state of a whole sequence in pieces.

    /** As {@link #FORWARD}, without computing. */
    static final int REHEARSE = Message.FIRST_TYPE + 10;

    /** Copies parts of caches out; the reply's payload has their bytes. */
    static final int EXPORT = Message.FIRST_TYPE + 11;

    /** Copies parts of caches in, whose bytes are the payload. */
    static final int ADOPT = Message.FIRST_TYPE + 12;

    /** Changes the caches as a batch does before its slices. */
    static final int CHANGE = Message.FIRST_TYPE + 13;

    /** Loads a draft model; the reply is that of {@link #LOAD}. */
    static final int LOAD_DRAFT = Message.FIRST_TYPE + 14;

    /** Shows a draft model hidden states, and asks it for guesses. */
    static final int DRAFT = Message.FIRST_TYPE + 15;

    /** Loads a model that reads texts; the reply is that of {@link #LOAD}. */
    static final int LOAD_SCAN = Message.FIRST_TYPE + 16;

    /** Has a text read; progress messages tell that it goes on. */
    static final int SCAN = Message.FIRST_TYPE + 17;

    private MessageType() {}
}
