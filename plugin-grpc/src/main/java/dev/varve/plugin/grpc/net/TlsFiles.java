package dev.varve.plugin.grpc.net;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.transport.PemKey;
import dev.varve.api.transport.TransportOptions;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;

import javax.net.ssl.SSLException;

/** Creates TLS contexts from PEM files, and names the faulty file in errors. */
final class TlsFiles {
    private TlsFiles() {}

    static SslContext client(TransportOptions options) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (options.identity().isPresent()) {
            show(builder, options.identity().get());
        }
        return build(builder, options);
    }

    /** Requires certificates of clients if the options name trusted ones. */
    static SslContext server(TransportOptions options) {
        TransportOptions.Identity identity = options.identity().orElseThrow();
        X509Certificate[] chain = certificates(identity.certificate());
        SslContextBuilder builder = SslContextBuilder.forServer(key(identity, chain), chain);
        if (options.trusted().isPresent()) {
            builder.clientAuth(ClientAuth.REQUIRE);
        }
        return build(builder, options);
    }

    private static void show(SslContextBuilder builder, TransportOptions.Identity identity) {
        X509Certificate[] chain = certificates(identity.certificate());
        builder.keyManager(key(identity, chain), chain);
    }

    private static PrivateKey key(TransportOptions.Identity identity, X509Certificate[] chain) {
        try {
            // PEM is ASCII; other text is no key either.
            String text = Files.readString(identity.key(), StandardCharsets.ISO_8859_1);
            return PemKey.parse(text, chain[0].getPublicKey());
        } catch (IOException e) {
            throw unreadable(identity.key(), e);
        } catch (GeneralSecurityException e) {
            throw badKey(identity, chain.length, e);
        }
    }

    private static SslContext build(SslContextBuilder builder, TransportOptions options) {
        options.trusted().ifPresent(file -> builder.trustManager(certificates(file)));
        try {
            return GrpcSslContexts.configure(builder, SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    options.identity().map(i -> i.certificate() + ", " + i.key()).orElse("TLS")
                            + ": certificate and key do not work together: "
                            + Failures.deepest(e).getMessage(),
                    e);
        }
    }

    private static X509Certificate[] certificates(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<?> found = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new CertificateException("found none");
            }
            return found.toArray(X509Certificate[]::new);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (CertificateException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    file + ": expected certificates (PEM), found none, or an invalid one",
                    e);
        }
    }

    private static VarveException unreadable(Path file, IOException cause) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                file + ": cannot be read: " + FileErrors.reason(cause),
                cause);
    }

    /** Omits the library's own message, because no part of a key may appear in a message. */
    private static VarveException badKey(
            TransportOptions.Identity identity, int certificates, Exception cause) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                identity.key()
                        + ": expected a private key (PEM, without a password) for the first"
                        + " of "
                        + certificates
                        + " certificates in "
                        + identity.certificate(),
                cause);
    }
}
