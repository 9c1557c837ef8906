package dev.varve.platform.cli;

import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.plugin.PluginCatalog;

/** Looks up transports by the scheme of an address. */
final class Transports {
    private Transports() {}

    /**
     * Finds a transport.
     *
     * @throws UsageException if no plugin provides it, naming those that there are
     */
    static TransportProvider find(PluginCatalog catalog, String scheme) {
        TransportProvider found = catalog.transports().get(scheme);
        if (found == null) {
            throw new UsageException(
                    "no plugin provides transport "
                            + scheme
                            + "; there are: "
                            + String.join(", ", catalog.transports().keySet()));
        }
        return found;
    }
}
