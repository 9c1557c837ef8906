package dev.varve.platform.host;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.remote.ShardLink;

/** Creates links to the processes of devices that are not in this process. */
@SuppressWarnings("exports") // see package-info
@FunctionalInterface
public interface ShardLinkFactory {
    /**
     * Creates a link to a device's process; the caller closes it.
     *
     * @param device not a local one
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if no link is possible
     */
    ShardLink to(DeviceReference device);
}
