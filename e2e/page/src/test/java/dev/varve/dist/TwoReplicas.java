package dev.varve.dist;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Rewrites the {@code /status} of a server as if it had two replicas like its only engine. */
final class TwoReplicas {
    private TwoReplicas() {}

    /** That answer, with the first replica ready and the second one in a state. */
    static String status(String answer, String stateOfSecond) {
        JsonMapper json = new JsonMapper();
        ObjectNode status = (ObjectNode) json.readTree(answer);
        ArrayNode replicas = status.putArray("replicas");
        ObjectNode placement = (ObjectNode) status.get("placement");
        JsonNode own = placement.get("shards");
        ArrayNode shards = placement.putArray("shards");
        for (int id = 0; id < 2; id++) {
            boolean well = id == 0 || stateOfSecond.equals("ready");
            ObjectNode replica = replicas.addObject().put("id", id);
            replica.put("state", well ? "ready" : stateOfSecond)
                    .put("running", 2)
                    .put("waiting", 0)
                    .put("moved_requests", 1)
                    .put("restarts", 3);
            if (!well) {
                replica.put("reason", "made for the test");
            }
            for (int i = 0; i < own.size(); i++) {
                ObjectNode shard = ((ObjectNode) own.get(i)).deepCopy().put("replica", id);
                boolean lost = !well && (i == 1 || stateOfSecond.equals("down"));
                shards.add(shard.put("state", lost ? "missing" : "ready"));
            }
        }
        return status.toString();
    }
}
