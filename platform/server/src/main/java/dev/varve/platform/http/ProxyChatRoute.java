package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.upstream.ForwardedChat;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.RequestBody;
import dev.varve.platform.intake.RequestIngress;

import java.io.IOException;

/** {@code POST /v1/chat/completions}, forwarded to the upstream server. */
final class ProxyChatRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient UpstreamProxy proxy;
    private final transient RequestDrain drain;
    private final transient RequestIngress ingress;

    ProxyChatRoute(
            RequestLifecycle lifecycle,
            UpstreamProxy proxy,
            RequestDrain drain,
            RequestIngress ingress) {
        super("/v1/chat/completions", RoutePurpose.SERVICE, Methods.POST, lifecycle);
        this.proxy = proxy;
        this.drain = drain;
        this.ingress = ingress;
    }

    @Override
    boolean readsBody(String method) {
        return method.equals("POST") && drain.isOpen();
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        drain.begin();
        try {
            RequestBody body = exchange.admitted().body().orElseThrow(ApiException::draining);
            byte[] bytes = body.take();
            ForwardedChat chat =
                    ingress.work(exchange.owner(), bytes.length, () -> proxy.read(bytes));
            // The forwarded body stays in memory until the reply ends, so it counts until then.
            return proxy.chat(chat, exchange.request(), exchange.response());
        } finally {
            drain.end();
        }
    }
}
