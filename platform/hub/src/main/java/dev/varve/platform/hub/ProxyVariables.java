package dev.varve.platform.hub;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Selects the proxy that the environment names: {@code https_proxy}, {@code http_proxy}, {@code
 * all_proxy} and {@code no_proxy}, in lower or upper case, with the usual meaning; none for this
 * machine itself. Java does not read them.
 */
final class ProxyVariables extends ProxySelector {
    private final Map<String, String> variables;

    ProxyVariables(Map<String, String> variables) {
        this.variables = Map.copyOf(variables);
    }

    @Override
    public List<Proxy> select(URI uri) {
        return proxy(uri)
                .map(address -> List.of(new Proxy(Proxy.Type.HTTP, address)))
                .orElse(List.of(Proxy.NO_PROXY));
    }

    private Optional<InetSocketAddress> proxy(URI uri) {
        if (HubHttp.isLoopback(uri.getHost()) || isExcluded(uri.getHost())) {
            return Optional.empty();
        }
        return variable(uri.getScheme() + "_proxy")
                .or(() -> variable("all_proxy"))
                .map(ProxyVariables::address);
    }

    /**
     * Returns the address of a proxy.
     *
     * @throws IllegalArgumentException if it is none, or needs a password
     */
    private static InetSocketAddress address(String text) {
        URI uri = URI.create(text.contains("://") ? text : "http://" + text);
        if (uri.getHost() == null || uri.getUserInfo() != null || !"http".equals(uri.getScheme())) {
            throw new IllegalArgumentException(
                    "expected a proxy of the form http://host:port in the environment, without a"
                            + " user, found "
                            + uri.getScheme()
                            + "://"
                            + uri.getHost());
        }
        return InetSocketAddress.createUnresolved(
                uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
    }

    private boolean isExcluded(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        for (String entry : variable("no_proxy").orElse("").split(",")) {
            String suffix = entry.strip().toLowerCase(Locale.ROOT).replaceFirst("^\\*?\\.", "");
            if (suffix.equals("*")
                    || !suffix.isEmpty() && (name.equals(suffix) || name.endsWith("." + suffix))) {
                return true;
            }
        }
        return false;
    }

    private Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name))
                .or(() -> Optional.ofNullable(variables.get(name.toUpperCase(Locale.ROOT))))
                .filter(value -> !value.isBlank());
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException reason) {
        // The request reports the failure.
    }
}
