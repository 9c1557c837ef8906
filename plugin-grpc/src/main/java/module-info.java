/**
 * Reaches shard processes on other hosts.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * are in the folder {@code lib} beside its jar, and are not opened before the first connection.
 */
module dev.varve.plugin.grpc {
    requires dev.varve.api;
    requires java.logging;
    requires static io.grpc;
    requires static io.grpc.netty;
    requires static io.netty.common;
    requires static io.netty.handler;
    requires static io.netty.transport;

    provides dev.varve.api.transport.TransportProvider with
            dev.varve.plugin.grpc.GrpcTransport;
}
