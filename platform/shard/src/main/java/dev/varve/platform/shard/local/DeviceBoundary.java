package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Boundary;

/**
 * An activation that was copied to the device of the shard that needs it.
 *
 * @param serial how many were put into the ring before
 */
record DeviceBoundary(BoundaryRing ring, long serial, int tokens) implements Boundary {
    @Override
    public long bytes() {
        return ring.bytesOf(tokens);
    }

    @Override
    public float[] values() {
        return ring.read(this);
    }
}
