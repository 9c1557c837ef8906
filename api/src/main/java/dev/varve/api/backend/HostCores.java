package dev.varve.api.backend;

/**
 * The processor's cores of this machine, as one device: whatever computes on them in this process
 * takes turns.
 */
public final class HostCores {
    private static final Object LOCK = new Object();

    private HostCores() {}

    /** {@link ComputeDevice#lock} of every device whose {@link DeviceInfo#hostCores} is true. */
    public static Object lock() {
        return LOCK;
    }
}
