package dev.varve.platform.http;

import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.model.ModelInfo;
import dev.varve.platform.http.serving.ModelListResponse;
import dev.varve.platform.http.serving.ModelStatus;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;

/** {@code GET /status?model=ID}: reports the current status of a model. Does not load it. */
final class StatusRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient OfferedModels offer;
    private final transient ModelListResponse models;
    private final transient SettingNames names;
    private final CacheSharingPolicy scopes;

    StatusRoute(
            RequestLifecycle cycle,
            OfferedModels offer,
            ModelListResponse models,
            SettingNames names,
            CacheSharingPolicy scopes) {
        super("/status", RouteAccess.OVERSIGHT, Methods.READ, cycle);
        this.offer = offer;
        this.models = models;
        this.names = names;
        this.scopes = scopes;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        ModelStatus view = offer.view(RequestedModel.inQuery(exchange.request()));
        ObjectNode status = models.status(view);
        Optional<ModelInfo> facts = offer.facts(view);
        facts.ifPresent(each -> each.status(status, names, scopes, exchange.admitted().caller()));
        JsonResponse.write(exchange.response(), 200, status);
        return RequestOutcome.PLAIN;
    }
}
