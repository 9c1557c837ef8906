package dev.varve.plugin.kvevents;

import dev.varve.api.event.CacheListenerProvider;
import dev.varve.contracts.CacheListenerContract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

class KvEventsContractTest extends CacheListenerContract {
    @Override
    protected CacheListenerProvider provider() {
        return new KvEventsProvider();
    }

    @Override
    protected String freeAddress() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "tcp://127.0.0.1:" + free.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected String wrongAddress() {
        return "tcp://no port at all";
    }
}
