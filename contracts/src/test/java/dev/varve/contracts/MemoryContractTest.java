package dev.varve.contracts;

import dev.varve.api.transport.TransportProvider;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A transport that keeps the contract passes it. */
class MemoryContractTest extends TransportContract {
    private static final AtomicInteger NAMES = new AtomicInteger();

    @Override
    protected TransportProvider provider() {
        return new MemoryTransport();
    }

    @Override
    protected String freeAddress(Path folder) {
        return "free" + NAMES.incrementAndGet();
    }

    @Override
    protected String deafAddress(Path folder) {
        return "deaf";
    }

    @Override
    protected List<String> malformedAddresses() {
        return List.of("", " ", "a b", "A");
    }
}
