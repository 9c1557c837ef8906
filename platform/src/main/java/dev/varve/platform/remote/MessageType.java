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

    /** Copies the state of a sequence out; progress messages carry the bytes. */
    static final int SAVE = Message.FIRST_TYPE + 5;

    /** Announces a snapshot that is to be restored. */
    static final int RESTORE_BEGIN = Message.FIRST_TYPE + 6;

    /** A piece of it; this and the next two name the transfer, see {@link TransferId}. */
    static final int RESTORE_DATA = Message.FIRST_TYPE + 7;

    /** Puts it into the caches, all or nothing. */
    static final int RESTORE_COMMIT = Message.FIRST_TYPE + 8;

    /** Forgets it. */
    static final int RESTORE_ABORT = Message.FIRST_TYPE + 9;

    /** As {@link #FORWARD}, without computing. */
    static final int REHEARSE = Message.FIRST_TYPE + 10;

    private MessageType() {}
}
