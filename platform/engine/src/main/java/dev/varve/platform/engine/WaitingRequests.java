package dev.varve.platform.engine;

import dev.varve.platform.shard.OutputRows;

/** What the running requests have to do with those that wait. */
interface WaitingRequests {
    /** Puts a request that lost its place in front of the others. */
    void requeue(Request request);

    /** Has the engine look again at those that wait. */
    void wakeUp();

    /** What requests of the same prompt want of its last token; NONE if there are none. */
    OutputRows wantedByTwins(Request request);
}
