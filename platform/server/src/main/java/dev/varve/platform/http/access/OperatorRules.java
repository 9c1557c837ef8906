package dev.varve.platform.http.access;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * Restricts the operator's routes to the holder of the operator's key. If none is set, to the
 * holder of the API key if the server has only one. If no key is needed, to programs on this
 * machine and the server's own pages; no other page may call them, even if it may call other
 * routes.
 */
final class OperatorRules {
    private static final String ONLY_OPERATOR = "only the operator may use this route: ";

    private final ClientAccessSettings access;
    private final CrossOriginGuard ownPages;

    OperatorRules(ListenAddress address, ClientAccessSettings access) {
        this.access = access;
        ownPages = new CrossOriginGuard(address, CorsAndHostOptions.NONE);
    }

    /** Throws 401 or 403 unless the caller is the operator. */
    void check(Request request) {
        GivenKey given = GivenKey.of(request.getHeaders());
        if (access.cache().operatorKey().isPresent()) {
            checkKey(given, Set.of(access.cache().operatorKey().get()));
        } else if (access.needsKey()) {
            given.requireOneOf(access.apiKeys(), "an API key");
            if (access.apiKeys().size() > 1) {
                throw refused("the server has several API keys and no operator's key; start it");
            }
        } else {
            checkLocal(request);
        }
    }

    /** Returns whether a key is the operator's. */
    boolean isOperatorKey(GivenKey given) {
        return access.cache()
                .operatorKey()
                .map(Set::of)
                .or(() -> Optional.of(access.apiKeys()).filter(keys -> keys.size() == 1))
                .filter(given::isOneOf)
                .isPresent();
    }

    private void checkKey(GivenKey given, Set<String> operator) {
        if (!given.isOneOf(operator) && given.isOneOf(access.apiKeys())) {
            throw refused("send the key that was set");
        }
        given.requireOneOf(operator, "the operator's key");
    }

    private void checkLocal(Request request) {
        if (!isFromThisMachine(request) || isOfForeignPage(request)) {
            throw refused(
                    "without keys only programs on this machine may; to allow others start the"
                            + " server");
        }
    }

    /**
     * Returns whether a request comes from this machine. Requests of a proxy do not, even if the
     * proxy runs here. A proxy that adds no headers is taken for a program on this machine: only a
     * key keeps its clients out.
     */
    private static boolean isFromThisMachine(Request request) {
        HttpFields headers = request.getHeaders();
        return request.getConnectionMetaData().getRemoteSocketAddress()
                        instanceof InetSocketAddress client
                && !client.isUnresolved()
                && client.getAddress().isLoopbackAddress()
                && !ProxyHeaderDetector.areIn(headers);
    }

    private boolean isOfForeignPage(Request request) {
        try {
            ownPages.check(request.getHttpURI(), request.getHeaders());
            return false;
        } catch (ApiException e) {
            return true;
        }
    }

    private static ApiException refused(String why) {
        return ApiException.status(
                403, "operator_only", ONLY_OPERATOR + why + " with " + Setting.OPERATOR_KEY);
    }
}
