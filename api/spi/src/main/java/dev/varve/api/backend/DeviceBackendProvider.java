package dev.varve.api.backend;

/**
 * A kind of device that Varve can compute on; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process. The constructor must not load native code, read files or start
 * threads, because listing plugins has to stay cheap and safe. {@link #open} may load native code;
 * it is called from one thread, before any device is used. An exception that is not a {@link
 * dev.varve.api.VarveException}, or a null, is reported as a fault of the plugin.
 */
public interface DeviceBackendProvider {
    /**
     * Name in device references: {@code "cpu"} in {@code cpu:0}; unique among providers. Small
     * letters, digits, {@code -} and {@code _}, beginning with a letter; the same at every call.
     */
    String name();

    /** The ggml release that the backend's library was built for, such as {@code "0.25.1"}. */
    String ggmlVersion();

    /**
     * Loads the backend's library and finds its devices. Backend {@code cpu} is opened before any
     * other one, because it loads ggml's base library. A second call finds the same devices.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if a library, a driver or every
     *     device is missing, saying in one line which
     */
    DeviceBackend open(BackendOptions options);
}
