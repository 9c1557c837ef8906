package dev.varve.platform.http;

import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.encoding.EncodingWork;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.intake.RequestBody;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.function.BiFunction;

/** A route that computes vectors or scores of texts. */
final class EncodingRoute extends JsonPostRoute {
    private static final long serialVersionUID = 1L;

    private final transient BiFunction<ServedModel, ObjectNode, EncodingWork> reader;

    EncodingRoute(
            String label,
            RouteContext context,
            BiFunction<ServedModel, ObjectNode, EncodingWork> reader) {
        super(label, context);
        this.reader = reader;
    }

    @Override
    RequestOutcome answer(
            Exchange exchange,
            RequestBody body,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException {
        ServedModel served = acquired.model().served();
        EncodingWork work =
                work(
                        exchange,
                        body,
                        fields -> {
                            new RequestFields(fields).text("model");
                            return reader.apply(served, fields);
                        });
        byte[] answer = Json.writeBytes(work.answer(probe::isDisconnected));
        JsonResponse.write(exchange.response(), 200, answer);
        return RequestOutcome.PLAIN;
    }
}
