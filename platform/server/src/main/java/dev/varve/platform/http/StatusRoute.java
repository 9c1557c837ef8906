package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.access.ScopeRule;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.model.ModelFacts;
import dev.varve.platform.http.serving.ModelList;
import dev.varve.platform.http.serving.ModelView;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;

/** {@code GET /status?model=ID}: how a model does at this moment. Loads none. */
final class StatusRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient Offer offer;
    private final transient ModelList models;
    private final transient SettingNames names;
    private final ScopeRule scopes;

    StatusRoute(
            RequestCycle cycle,
            Offer offer,
            ModelList models,
            SettingNames names,
            ScopeRule scopes) {
        super("/status", Purpose.OVERSIGHT, Methods.READ, cycle);
        this.offer = offer;
        this.models = models;
        this.names = names;
        this.scopes = scopes;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException {
        ModelView view = offer.view(RequestedModel.inQuery(exchange.request()));
        ObjectNode status = models.status(view);
        Optional<ModelFacts> facts = offer.facts(view);
        facts.ifPresent(each -> each.status(status, names, scopes, exchange.admitted().caller()));
        JsonAnswer.write(exchange.response(), 200, status);
        return Outcome.PLAIN;
    }
}
