package dev.varve.platform.engine;

import dev.varve.platform.shard.RequestedOutput;

/** The queue, as the running requests use it. */
interface QueueAccess {
    /** Requeues a request that lost its sequence, at the front. */
    void requeue(Request request);

    /** Makes the engine check the queued requests again. */
    void wakeUp();

    /**
     * Returns the output rows that queued requests with the same prompt need of its last token;
     * NONE if there are none.
     */
    RequestedOutput outputOfDuplicates(Request request);
}
