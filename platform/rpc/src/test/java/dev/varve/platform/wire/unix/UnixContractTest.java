package dev.varve.platform.wire.unix;

import dev.varve.api.transport.TransportProvider;
import dev.varve.contracts.TransportContract;

import java.nio.file.Path;
import java.util.List;

/** Sockets in a folder of the test. */
class UnixContractTest extends TransportContract {
    private int listeners;

    @Override
    protected TransportProvider provider() {
        return new UnixTransport();
    }

    @Override
    protected String freeAddress(Path folder) {
        return folder.resolve("own/" + listeners++ + ".sock").toString();
    }

    @Override
    protected String deafAddress(Path folder) {
        return folder.resolve("nobody.sock").toString();
    }

    @Override
    protected List<String> malformedAddresses() {
        return List.of("", "  ", "a\0b", "/" + "a".repeat(200));
    }
}
