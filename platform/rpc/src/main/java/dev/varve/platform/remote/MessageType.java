package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

/** Message types between a server and a shard process; the numbers never change. */
final class MessageType {
    /** Requests the devices of the process. */
    static final int DESCRIBE = Message.FIRST_TYPE;

    /** Loads a layer range; sends progress messages. */
    static final int LOAD = Message.FIRST_TYPE + 1;

    /** Frees the range; another one may be loaded afterwards. */
    static final int UNLOAD = Message.FIRST_TYPE + 2;

    /** Runs a batch. */
    static final int FORWARD = Message.FIRST_TYPE + 3;

    // FIRST_TYPE + 4 was used for row moves outside of batches.

    // FIRST_TYPE + 5 to + 9 were used to transfer the state of a whole sequence in pieces.

    /** Like {@link #FORWARD}, without computing; used for warm-up. */
    static final int WARM_UP = Message.FIRST_TYPE + 10;

    /** Exports parts of caches; the payload of the reply has their bytes. */
    static final int EXPORT = Message.FIRST_TYPE + 11;

    /** Imports parts of caches, whose bytes are the payload. */
    static final int ADOPT = Message.FIRST_TYPE + 12;

    /** Changes the caches as a batch does before its chunks. */
    static final int CHANGE = Message.FIRST_TYPE + 13;

    /** Loads a draft model; the reply is that of {@link #LOAD}. */
    static final int LOAD_DRAFT = Message.FIRST_TYPE + 14;

    /** Sends hidden states to a draft model and requests draft tokens. */
    static final int DRAFT = Message.FIRST_TYPE + 15;

    /** Loads a model that scores texts; the reply is that of {@link #LOAD}. */
    static final int LOAD_SCAN = Message.FIRST_TYPE + 16;

    /** Scores a text; sends progress messages. */
    static final int SCAN = Message.FIRST_TYPE + 17;

    /** Like {@link #FORWARD}, for a batch with sequences that have images. */
    static final int FORWARD_IMAGES = Message.FIRST_TYPE + 18;

    /** Loads an image encoder; the reply is that of {@link #LOAD}. */
    static final int LOAD_IMAGES = Message.FIRST_TYPE + 19;

    /** Computes the rows of an image; sends progress messages. */
    static final int ENCODE_IMAGE = Message.FIRST_TYPE + 20;

    /** Adds a LoRA adapter to the range; sends progress messages. */
    static final int ADD_ADAPTER = Message.FIRST_TYPE + 21;

    /** Removes a LoRA adapter from the range. */
    static final int REMOVE_ADAPTER = Message.FIRST_TYPE + 22;

    private MessageType() {}
}
