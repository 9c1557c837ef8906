package dev.varve.plugin.valkey.net;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import io.lettuce.core.RedisURI;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The provider behind the plugin's front. */
public final class RespStores implements SharedStoreProvider {
    /** Called by the front. */
    public RespStores() {}

    @Override
    public List<String> schemes() {
        return List.of("redis", "rediss");
    }

    @Override
    public SharedStore open(SharedStoreAddress address) {
        return new RespStore(address, target(address));
    }

    private static RedisURI target(SharedStoreAddress address) {
        if (address.uri().getHost() == null) {
            throw refused(address, "expected a host, such as redis://host:6379/0, found none");
        }
        if (address.uri().getFragment() != null || address.uri().getQuery() != null) {
            throw refused(address, "expected no query and no fragment after the database number");
        }
        String path = address.uri().getPath();
        if (path != null && !path.matches("/?|/\\d{1,9}")) {
            throw refused(address, "expected a database number after the host");
        }
        if (address.authority().filter(file -> !Files.isReadable(file)).isPresent()) {
            Path file = address.authority().get();
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, file + ": expected certificates in PEM");
        }
        try {
            RedisURI target = RedisURI.create(address.uri());
            address.password()
                    .ifPresent(
                            password ->
                                    target.setCredentialsProvider(
                                            new Password(user(address), password)));
            target.setTimeout(address.connectLimit());
            target.setLibraryName("varve");
            return target;
        } catch (IllegalArgumentException e) {
            // Its message may contain the password.
            throw refused(address, "expected a valid address of a store");
        }
    }

    private static String user(SharedStoreAddress address) {
        String info = address.uri().getUserInfo();
        return info == null ? "" : info.split(":", 2)[0];
    }

    private static VarveException refused(SharedStoreAddress address, String why) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST, address.shown() + ": " + why);
    }
}
