package dev.varve.platform.http.live;

import dev.varve.platform.engine.GenerationProgress;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.access.PublicScopeId;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Reports active requests for {@code /requests}: figures only to callers of the same scope and to
 * the operator, text only to the request's own caller. Other requests are listed only with id,
 * model, route, age and state, and are counted.
 */
public final class ActiveRequestsReport {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double NANOS_PER_SECOND = 1e9;

    /** State of a request whose prompt is being compressed, before submission to the engine. */
    private static final String PREPARING = "preparing";

    /** State of a request without progress from the engine. */
    private static final String RUNNING = "running";

    private ActiveRequestsReport() {}

    /**
     * Reports requests, in their order.
     *
     * @param caller caller of {@code /requests}
     */
    public static ObjectNode of(List<ActiveRequest> requests, Caller caller) {
        ObjectNode report = Json.object();
        ArrayNode list = report.putArray("requests");
        requests.forEach(active -> describe(active, caller, list.addObject()));
        List<ActiveRequest> others =
                requests.stream().filter(active -> !maySeeFigures(active, caller)).toList();
        if (!others.isEmpty()) {
            long running = others.stream().filter(ActiveRequestsReport::isRunning).count();
            report.putObject("others")
                    .put("requests", others.size())
                    .put("waiting", others.size() - running)
                    .put("running", running);
        }
        return report;
    }

    private static boolean maySeeFigures(ActiveRequest active, Caller caller) {
        return active.isOf(caller)
                || caller.isOperator()
                || active.work().map(each -> caller.maySeeFigures(each.scope())).orElse(false);
    }

    private static boolean isRunning(ActiveRequest active) {
        return switch (state(active)) {
            case "queued", "parked", PREPARING -> false;
            default -> true;
        };
    }

    private static String state(ActiveRequest active) {
        return mostAdvanced(active).map(each -> each.state().word()).orElse(unknown(active));
    }

    private static Optional<GenerationProgress> mostAdvanced(ActiveRequest active) {
        return active.progress().stream().min(Comparator.comparingInt(ActiveRequestsReport::rank));
    }

    private static void describe(ActiveRequest active, Caller caller, ObjectNode out) {
        boolean own = active.isOf(caller);
        Optional<ActiveRequest.Execution> work = active.work();
        out.put("id", active.id())
                .put("model", active.origin().model())
                .put("route", active.origin().route())
                .put("own", own)
                .put("may_cancel", own || caller.isOperator())
                .put("age_seconds", active.age().toMillis() / MILLIS_PER_SECOND);
        if (own) {
            out.put("request_id", active.origin().requestId());
            work.ifPresent(each -> out.put("prompt", each.excerpt().get()));
        }
        out.put("cancelled", active.isCancelled()).put("state", state(active));
        if (maySeeFigures(active, caller)) {
            work.ifPresent(each -> out.put("scope", PublicScopeId.of(each.scope())));
            progress(active, out);
        }
    }

    private static void progress(ActiveRequest active, ObjectNode out) {
        List<GenerationProgress> choices = active.progress();
        Optional<GenerationProgress> mostAdvanced = mostAdvanced(active);
        out.put("choices", active.work().map(each -> each.generations().size()).orElse(0));
        mostAdvanced.ifPresent(
                each ->
                        out.put("prompt_tokens", each.promptTokens())
                                .put("cached_tokens", each.cachedTokens())
                                .put("computed_tokens", each.computedTokens()));
        if (mostAdvanced.isPresent()) {
            int generated = choices.stream().mapToInt(GenerationProgress::generatedTokens).sum();
            out.put("generated_tokens", generated)
                    .put("tokens_per_second", Math.round(speed(choices) * 100) / 100.0);
        }
    }

    private static String unknown(ActiveRequest active) {
        return active.work().isPresent() ? RUNNING : PREPARING;
    }

    /**
     * Returns the rank of a choice's state; the choice with the lowest rank represents the request.
     */
    private static int rank(GenerationProgress choice) {
        return switch (choice.state()) {
            case DECODE -> 0;
            case PREFILL -> 1;
            case RESTORING -> 2;
            case PARKED -> 3;
            case QUEUED -> 4;
            case ENDED -> 5;
        };
    }

    /** Returns the tokens per second after the first token, summed over running choices. */
    private static double speed(List<GenerationProgress> choices) {
        double speed = 0;
        for (GenerationProgress choice : choices) {
            double seconds =
                    choice.generationTime().orElse(Duration.ZERO).toNanos() / NANOS_PER_SECOND;
            boolean runs = choice.state() != GenerationProgress.State.ENDED;
            if (runs && seconds > 0 && choice.generatedTokens() > 1) {
                speed += (choice.generatedTokens() - 1) / seconds;
            }
        }
        return speed;
    }
}
