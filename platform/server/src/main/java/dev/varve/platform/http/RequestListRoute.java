package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.live.LiveAnswer;
import dev.varve.platform.http.live.LiveAnswers;
import dev.varve.platform.http.live.LiveReport;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code GET /requests?model=ID}: the answers that are being made, of one model or of all. */
final class RequestListRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient Offer offer;
    private final transient LiveAnswers live;

    RequestListRoute(RequestCycle cycle, Offer offer, LiveAnswers live) {
        super("/requests", Purpose.OVERSIGHT, Methods.READ, cycle);
        this.offer = offer;
        this.live = live;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException {
        Optional<String> model =
                RequestedModel.inQuery(exchange.request())
                        .map(name -> offer.view(Optional.of(name)).id());
        List<LiveAnswer> shown =
                live.all().stream()
                        .filter(answer -> model.map(answer.origin().model()::equals).orElse(true))
                        .toList();
        JsonAnswer.write(
                exchange.response(), 200, LiveReport.of(shown, exchange.admitted().caller()));
        return Outcome.PLAIN;
    }
}
