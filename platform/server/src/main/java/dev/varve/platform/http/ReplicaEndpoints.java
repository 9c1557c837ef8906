package dev.varve.platform.http;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ReplicaReport;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Drains and resumes replicas of a loaded model: {@code POST /replicas/ID/drain?model=NAME} and
 * {@code POST /replicas/ID/resume?model=NAME}. Takes no request body.
 *
 * @param offeredModels the models
 * @param names names of settings in reasons
 * @param patience how long a response waits for the end of a drain or a load, which continues then
 */
record ReplicaEndpoints(OfferedModels offeredModels, SettingNames names, Duration patience) {
    /** Path prefix before the number of a replica. */
    static final String PREFIX = "/replicas/";

    /** Shorter than the usual time limits of clients. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Pattern ACTION = Pattern.compile("([0-9]{1,4})/(drain|resume)");

    /** Changes a replica; returns its status afterwards, as in {@code /status}. */
    JsonNode change(Exchange exchange) throws InterruptedException {
        Matcher path = ACTION.matcher(Route.below(PREFIX, exchange.request()));
        if (!path.matches()) {
            throw ApiException.status(
                    404,
                    "not_found",
                    "not found: expected /replicas/ID/drain or /replicas/ID/resume, with the"
                            + " number of a replica");
        }
        int id = Integer.parseInt(path.group(1));
        Engine engine =
                offeredModels
                        .view(RequestedModelName.inQuery(exchange.request()))
                        .running()
                        .orElseThrow(ApiException::loading)
                        .served()
                        .engine();
        ReplicaControl control = control(engine, id);
        CompletableFuture<Void> end =
                path.group(2).equals("drain") ? control.drain(id) : control.resume(id);
        EngineFutures.awaitAtMost(end, patience);
        return ReplicaReport.of(engine.status().replicas().get(id), names);
    }

    private static ReplicaControl control(Engine engine, int id) {
        return engine.replicaControl()
                .filter(control -> id < control.count())
                .orElseThrow(
                        () ->
                                ApiException.status(
                                        404,
                                        "replica_not_found",
                                        "the model has no replica " + id + " (--replicas)"));
    }
}
