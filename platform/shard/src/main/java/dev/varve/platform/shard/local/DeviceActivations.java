package dev.varve.platform.shard.local;

import dev.varve.platform.shard.LayerActivations;

/**
 * An activation that was copied to the device of the shard that reads it.
 *
 * @param serial number of activations that were put into the ring before
 */
record DeviceActivations(ActivationRing ring, long serial, int tokens) implements LayerActivations {
    @Override
    public long bytes() {
        return ring.bytesOf(tokens);
    }

    @Override
    public float[] values() {
        return ring.read(this);
    }
}
