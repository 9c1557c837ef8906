package dev.varve.plugin.valkey;

import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;
import dev.varve.contracts.SharedStoreContract;
import dev.varve.testkit.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

import java.io.IOException;

class ValkeyContractTest extends SharedStoreContract {
    private static RedisServer server;

    @BeforeAll
    static void start() throws IOException {
        Assumptions.assumeTrue(
                RedisServer.program().isPresent(), "skipped: no redis-server is installed");
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected SharedStoreProvider provider() {
        return new ValkeyProvider();
    }

    @Override
    protected SharedStoreAddress address() {
        return Addresses.of(server.uri());
    }
}
