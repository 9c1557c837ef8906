package dev.varve.dist;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginServiceKind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Runs on the modules of an installation and sends a byte over the transport of a plugin. */
final class GrpcProbe {
    private GrpcProbe() {}

    /** Argument: the plugins folder. */
    public static void main(String[] arguments) throws IOException {
        TransportProvider grpc =
                PluginCatalog.discover(Path.of(arguments[0])).loaded().stream()
                        .flatMap(
                                plugin ->
                                        plugin
                                                .services()
                                                .providers(PluginServiceKind.TRANSPORTS)
                                                .stream())
                        .findFirst()
                        .orElseThrow();
        TransportOptions options = TransportOptions.defaults().withToken("swordfish");
        try (Listener listener = grpc.listen("127.0.0.1:0", options);
                Connection client =
                        grpc.connect(listener.address().substring("grpc:".length()), options);
                Connection server = listener.accept()) {
            client.write(ByteBuffer.allocate(1));
            ByteBuffer target = ByteBuffer.allocate(1);
            server.read(target);
            System.out.println(
                    target.position()
                            + " byte through "
                            + grpc.getClass().getModule().getName()
                            + " and "
                            + server.getClass().getClassLoader().getName());
        }
    }
}
