package dev.varve.platform.http;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.resume.ResumableStreamLimits;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.http.upstream.CompressionProxySettings;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.intake.RequestIngress;
import dev.varve.platform.setting.SettingNames;
import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.stream.Collectors;

/** The routes are public: a checked-in list shows each change of paths and methods. */
class RouteListTest {
    private static final String FILES =
            "platform/server/src/test/resources/dev/varve/platform/http/";

    private final HttpOptions options = HttpOptions.loopback();
    private final RequestIngress ingress = new RequestIngress(IngressLimits.DEFAULT);
    private final AccessControl access =
            new AccessControl(ListenAddress.LOOPBACK, ClientAccessSettings.LOCAL);

    @AfterEach
    void stop() {
        ingress.close();
    }

    @Test
    void serverWithAModelHasTheseRoutes() {
        ApiRoutes api =
                new ApiRoutes(
                        access,
                        ingress,
                        new Metrics(),
                        new OfferedModels(new Metrics()),
                        options,
                        new ResumableStreamStore(ResumableStreamLimits.DEFAULT, System::nanoTime));

        GeneratedFile.of(FILES + "routes.txt").check(list(api.routes()));
    }

    @Test
    void proxyHasTheseRoutes() {
        CompressionProxySettings upstream =
                new CompressionProxySettings(
                        UpstreamServer.of(URI.create("http://127.0.0.1:1/v1")),
                        ProxyFixture.LIMITS,
                        new ConversationCompressor(
                                ScriptedDrafter.looksFor("stone", SmallChat.TOKENIZER),
                                ProxyFixture.compression(CompressionMode.AUTO, false)),
                        "scripted.gguf");
        Metrics metrics = new Metrics();
        try (UpstreamProxy proxy =
                new UpstreamProxy(
                        upstream, ClientAccessSettings.LOCAL, metrics, SettingNames.IDENTIFIERS)) {
            ProxyRoutes routes =
                    new ProxyRoutes(
                            new RequestLifecycle(
                                    access, metrics, Tracing.off(), SettingNames.IDENTIFIERS),
                            proxy,
                            new RequestDrain(),
                            ingress,
                            metrics,
                            options);

            GeneratedFile.of(FILES + "proxy-routes.txt").check(list(routes.routes()));
        }
    }

    private static String list(RouteTable routes) {
        return routes.paths().entrySet().stream()
                .map(each -> path(each.getKey()) + " " + methods(each.getValue()) + "\n")
                .sorted()
                .collect(Collectors.joining());
    }

    private static String path(String mapped) {
        return switch (mapped) {
            case "" -> "/";
            case "/" -> "/*";
            default -> mapped;
        };
    }

    /** The {@code Allow} header; routes without a function take any method. */
    private static String methods(Route route) {
        return route.methods() == Route.Methods.ANY ? "any" : route.methods().allow();
    }
}
