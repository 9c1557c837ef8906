package dev.varve.platform.http.access;

import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Headers by which proxies say that a request comes from elsewhere. They are no proof: a proxy may
 * leave them out. So whoever trusts this machine for want of keys is warned when one is seen.
 */
final class ProxyHeaders {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final Set<String> NAMES = Set.of("forwarded", "x-real-ip", "via");
    private static final String PREFIX = "x-forwarded-";

    private final AtomicBoolean warned = new AtomicBoolean();

    /** Whether a request says that a proxy passed it on. */
    static boolean areIn(HttpFields headers) {
        return headers.stream().map(HttpField::getLowerCaseName).anyMatch(ProxyHeaders::isOne);
    }

    private static boolean isOne(String name) {
        return NAMES.contains(name) || name.startsWith(PREFIX);
    }

    /** Logs a warning at the first request of a proxy. */
    void look(HttpFields headers) {
        if (!warned.get() && areIn(headers) && warned.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, warning());
        }
    }

    private static String warning() {
        return String.format(
                Locale.ROOT,
                "a proxy passes requests on, and no key is needed: whatever it passes on without"
                    + " headers such as X-Forwarded-For counts as a program of this machine, which"
                    + " may read and clear the cache and cancel requests; start the server with %s"
                    + " or %s",
                Setting.OPERATOR_KEY,
                Setting.API_KEY);
    }
}
