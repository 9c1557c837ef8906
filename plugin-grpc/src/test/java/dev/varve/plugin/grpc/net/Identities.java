package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.TransportOptions;
import dev.varve.testkit.TestCertificates;

/** Certificates of a test as those of a host. */
final class Identities {
    private Identities() {}

    static TransportOptions.Identity of(TestCertificates.Pair pair) {
        return new TransportOptions.Identity(pair.certificate(), pair.key());
    }
}
