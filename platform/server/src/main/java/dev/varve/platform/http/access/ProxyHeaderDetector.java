package dev.varve.platform.http.access;

import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Detects headers by which proxies mark forwarded requests. A proxy may omit them, so their absence
 * proves nothing. A server without keys, which trusts this machine, logs a warning when it receives
 * one.
 */
final class ProxyHeaderDetector {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final Set<String> NAMES = Set.of("forwarded", "x-real-ip", "via");
    private static final String PREFIX = "x-forwarded-";

    private final AtomicBoolean warned = new AtomicBoolean();

    /** Returns whether a request has a header of a proxy. */
    static boolean areIn(HttpFields headers) {
        return headers.stream()
                .map(HttpField::getLowerCaseName)
                .anyMatch(ProxyHeaderDetector::isOne);
    }

    private static boolean isOne(String name) {
        return NAMES.contains(name) || name.startsWith(PREFIX);
    }

    /** Logs a warning at the first request with a header of a proxy. */
    void warnOnce(HttpFields headers) {
        if (!warned.get() && areIn(headers) && warned.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, warning());
        }
    }

    private static String warning() {
        return String.format(
                Locale.ROOT,
                "a proxy forwards requests to this server, which requires no key: a request that"
                    + " the proxy forwards without headers such as X-Forwarded-For counts as one"
                    + " from this machine and may list and clear the cache and cancel requests;"
                    + " start the server with %s or %s",
                Setting.OPERATOR_KEY,
                Setting.API_KEY);
    }
}
