package dev.varve.platform.http.model;

import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** The results of speculative decoding, for {@code /status}. */
final class SpeculationReport {
    private static final double THOUSAND = 1000;

    private SpeculationReport() {}

    static ObjectNode of(SpeculationCounts counts) {
        ObjectNode report = Json.object().put("enabled", !counts.widths().isEmpty());
        if (counts.widths().isEmpty()) {
            return report;
        }
        report.put("name", counts.name());
        rates(report, counts.drafted(), counts.accepted(), counts.verifySteps());
        numbers(report.putArray("accepts"), counts.accepts());
        numbers(report.putArray("widths"), counts.widths());
        ArrayNode grades = report.putArray("grades");
        for (SpeculationCounts.ConfidenceBucket grade : counts.grades()) {
            ObjectNode out = grades.addObject().put("grade", grade.grade());
            rates(out, grade.drafted(), grade.accepted(), grade.verifySteps());
        }
        return report;
    }

    private static void rates(ObjectNode out, long drafted, long accepted, long steps) {
        out.put("draft_tokens", drafted)
                .put("accepted_tokens", accepted)
                .put("verify_steps", steps)
                .put("acceptance_rate", ratio(accepted, drafted))
                // A step adds one token of its own after the accepted draft tokens.
                .put("acceptance_length", steps == 0 ? 0 : 1 + ratio(accepted, steps));
    }

    private static double ratio(long part, long all) {
        return all == 0 ? 0 : Math.round(THOUSAND * part / all) / THOUSAND;
    }

    private static void numbers(ArrayNode out, List<Long> counts) {
        counts.forEach(out::add);
    }
}
