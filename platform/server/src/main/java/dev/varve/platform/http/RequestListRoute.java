package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.live.ActiveRequest;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.live.ActiveRequestsReport;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code GET /requests?model=ID}: lists the active requests of one model or of all. */
final class RequestListRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient OfferedModels offer;
    private final transient ActiveRequests live;

    RequestListRoute(RequestLifecycle cycle, OfferedModels offer, ActiveRequests live) {
        super("/requests", RouteAccess.OVERSIGHT, Methods.READ, cycle);
        this.offer = offer;
        this.live = live;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        Optional<String> model =
                RequestedModel.inQuery(exchange.request())
                        .map(name -> offer.view(Optional.of(name)).id());
        List<ActiveRequest> shown =
                live.all().stream()
                        .filter(answer -> model.map(answer.origin().model()::equals).orElse(true))
                        .toList();
        JsonResponse.write(
                exchange.response(),
                200,
                ActiveRequestsReport.of(shown, exchange.admitted().caller()));
        return RequestOutcome.PLAIN;
    }
}
