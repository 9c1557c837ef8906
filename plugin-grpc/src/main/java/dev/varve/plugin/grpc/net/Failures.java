package dev.varve.plugin.grpc.net;

import io.grpc.Status;
import io.netty.channel.ConnectTimeoutException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.security.GeneralSecurityException;

import javax.net.ssl.SSLException;

/** Describes why a connection failed. */
final class Failures {
    private Failures() {}

    static IOException connect(HostPort target, Protection protection, Status status) {
        return new IOException(target + ": " + reason(protection, status), status.asException());
    }

    private static String reason(Protection protection, Status status) {
        switch (status.getCode()) {
            case UNAUTHENTICATED -> {
                return "the token is wrong or missing (--shard-token-file)";
            }
            case UNIMPLEMENTED -> {
                return "the listener is not a shard process";
            }
            case RESOURCE_EXHAUSTED -> {
                return "too many connections are already waiting";
            }
            default -> {}
        }
        Throwable deepest = deepest(cause(status));
        return switch (deepest) {
            case GeneralSecurityException e ->
                    "the certificate of the other side is not trusted (--shard-tls-ca): "
                            + e.getMessage();
            case NoRouteToHostException e -> "no route to the host";
            case ConnectException e when String.valueOf(e.getMessage()).contains("refused") ->
                    "connection refused; no process listens at this address";
            case ConnectTimeoutException e -> "no response within the time limit";
            case SSLException e when String.valueOf(e.getMessage()).contains("fatal alert") ->
                    "the other side refused the certificate of this side, or its absence"
                            + " (--shard-tls-cert, --shard-tls-key): "
                            + e.getMessage();
            default ->
                    "unexpected response: "
                            + text(status)
                            + (protection == Protection.TLS
                                    ? "; does the listener use TLS?"
                                    : "; does the listener expect TLS (--shard-tls-ca)?");
        };
    }

    private static Throwable cause(Status status) {
        return status.getCause() == null ? status.asException() : status.getCause();
    }

    /** Describes a status in one line. */
    static String text(Status status) {
        // The library's own description of a failure with a cause is about its inner pipeline.
        String cause = deepest(cause(status)).getMessage();
        String description =
                status.getDescription() == null
                        ? status.getCode().toString()
                        : status.getDescription();
        String text = status.getCause() == null || cause == null ? description : cause;
        return text.replaceAll("\\s+", " ").strip();
    }

    static Throwable deepest(Throwable problem) {
        Throwable deepest = problem;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return deepest;
    }
}
