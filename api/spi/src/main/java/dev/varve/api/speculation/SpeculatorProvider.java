package dev.varve.api.speculation;

/**
 * A kind of speculator; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open files, load libraries or
 * start threads, because listing plugins has to stay cheap and safe. Exceptions other than the
 * declared ones, or a null, are reported as a fault of the plugin.
 */
public interface SpeculatorProvider {
    /**
     * Name, unique among providers, which selects it: {@code "suffix-tree"}. Small letters, digits,
     * {@code -} and {@code _}, beginning with a letter; the same at every call.
     */
    String name();

    /**
     * Opens a speculator for a loaded model.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if it cannot propose tokens for
     *     that model
     */
    Speculator open(SpeculationTarget target);
}
