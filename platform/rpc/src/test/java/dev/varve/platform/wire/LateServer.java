package dev.varve.platform.wire;

import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.IOException;

/** A process that connects with an offer of shared memory, to be killed before it is answered. */
final class LateServer {
    private LateServer() {}

    /**
     * Connects.
     *
     * @param arguments the socket
     */
    public static void main(String[] arguments) throws IOException {
        WireChannel.connect(
                new UnixTransport().connect(arguments[0], TransportOptions.defaults()),
                WireOptions.defaults().withSharedMemory(SharedMemoryMode.SHARED, 1 << 20));
    }
}
