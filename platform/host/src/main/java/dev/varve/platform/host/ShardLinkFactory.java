package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.remote.ShardLink;

/** Ways to the processes of devices that are not in this one. */
@SuppressWarnings("exports") // see package-info
@FunctionalInterface
public interface ShardLinkFactory {
    /**
     * A way to a device's process; who asks closes it.
     *
     * @param device not a local one
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if there is no way
     */
    ShardLink to(DeviceReference device);
}
