package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.upstream.ForwardedChat;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.HeldBody;
import dev.varve.platform.intake.Intake;

import java.io.IOException;

/** {@code POST /v1/chat/completions}, which another server answers. */
final class ProxyChatRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient UpstreamProxy proxy;
    private final transient OpenRequests open;
    private final transient Intake intake;

    ProxyChatRoute(RequestCycle cycle, UpstreamProxy proxy, OpenRequests open, Intake intake) {
        super("/v1/chat/completions", Purpose.SERVICE, Methods.POST, cycle);
        this.proxy = proxy;
        this.open = open;
        this.intake = intake;
    }

    @Override
    boolean readsBody(String method) {
        return method.equals("POST") && open.isOpen();
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        open.begin();
        try {
            HeldBody body = exchange.admitted().body().orElseThrow(ApiException::draining);
            byte[] bytes = body.take();
            ForwardedChat chat =
                    intake.work(exchange.owner(), bytes.length, () -> proxy.read(bytes));
            // What is sent stays in memory until the reply ends, so the body counts until then.
            return proxy.chat(chat, exchange.request(), exchange.response());
        } finally {
            open.end();
        }
    }
}
