package dev.varve.platform.http;

import dev.varve.platform.http.trace.RequestMetadata;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

/**
 * A request that got in, and its answer.
 *
 * @param record what else is known of it
 */
record Exchange(
        HttpServletRequest request,
        HttpServletResponse response,
        AdmissionDecision.Admitted admitted,
        RequestMetadata record) {
    /**
     * Whose work it is, where owners share the processor: all requests with one key are one
     * owner's, and where no key is needed all on one connection.
     */
    Object owner() {
        String key = admitted.caller().owner();
        return key.isEmpty()
                ? ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                : key;
    }
}
