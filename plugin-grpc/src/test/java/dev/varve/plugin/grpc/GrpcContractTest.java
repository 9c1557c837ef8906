package dev.varve.plugin.grpc;

import dev.varve.api.transport.TransportProvider;
import dev.varve.contracts.TransportContract;

import java.nio.file.Path;
import java.util.List;

/** In plain text, over the loopback device. */
class GrpcContractTest extends TransportContract {
    @Override
    protected TransportProvider provider() {
        return new GrpcTransport();
    }

    @Override
    protected String freeAddress(Path folder) {
        return "127.0.0.1:0";
    }

    /** A port that only the system's own services may take. */
    @Override
    protected String deafAddress(Path folder) {
        return "127.0.0.1:1";
    }

    @Override
    protected List<String> malformedAddresses() {
        return List.of("", "box", ":7700", "box:65536", "box:-1", "[box]:7700", "a b:1");
    }
}
