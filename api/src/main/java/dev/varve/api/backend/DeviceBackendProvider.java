package dev.varve.api.backend;

/**
 * A kind of device that Varve can compute on; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process. The constructor must not load native code; {@link #open} may, and is
 * called at most once per process, from one thread, before any device is used.
 */
public interface DeviceBackendProvider {
    /** Name in device references: {@code "cpu"} in {@code cpu:0}; unique among providers. */
    String name();

    /** The ggml release that the backend's library was built for, such as {@code "0.25.1"}. */
    String ggmlVersion();

    /**
     * Loads the backend's library and finds its devices. Backend {@code cpu} is opened before any
     * other one: it loads ggml's base library.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if a library or driver is missing,
     *     saying which
     */
    DeviceBackend open(BackendOptions options);
}
