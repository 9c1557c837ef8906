package dev.varve.platform.shard.local;

/**
 * Counts the users of weights, and frees the weights after the last of them. The weights have one
 * shard as their user at first. Thread-safe.
 */
final class WeightUsers {
    private final Runnable free;
    private int shards = 1;
    private int encoders;

    /**
     * @param free frees the weights; called once
     */
    WeightUsers(Runnable free) {
        this.free = free;
    }

    /** Number of shards, each of which reports its share of the weights' memory. */
    synchronized int shards() {
        return shards;
    }

    /** Registers one more shard; returns false if the weights are freed already. */
    synchronized boolean addShard() {
        if (areFreed()) {
            return false;
        }
        shards++;
        return true;
    }

    /** Registers an encoder; returns false if the weights are freed already. */
    synchronized boolean addEncoder() {
        if (areFreed()) {
            return false;
        }
        encoders++;
        return true;
    }

    /** Ends the use by a shard; does nothing if no shard uses the weights. */
    synchronized void removeShard() {
        if (shards > 0) {
            shards--;
            freeIfUnused();
        }
    }

    /** Ends the use by an encoder. */
    synchronized void removeEncoder() {
        encoders--;
        freeIfUnused();
    }

    private boolean areFreed() {
        return shards + encoders == 0;
    }

    private void freeIfUnused() {
        if (areFreed()) {
            free.run();
        }
    }
}
