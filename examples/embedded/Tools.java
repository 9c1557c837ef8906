import dev.varve.embedded.*;

record Place(String city) {}

void main(String[] arguments) {
    var options = VarveOptions.DEFAULT.withSampling(Sampling.DEFAULT.temperature(0));
    try (Varve model = Varve.open(Path.of(arguments[0]), options)) {
        var weather = Tool.of("get_weather", "Get the weather in a city", Place.class);
        var request = ChatRequest.of("What is the weather in Paris?").withTools(List.of(weather));
        var response = model.chat(request);
        var call = response.calls().getFirst();
        IO.println(call.name() + " " + call.arguments(Place.class));
        var result = Message.toolResult(call, "{\"weather\": \"sunny\"}");
        IO.println(model.chat(request.plus(List.of(response.message(), result))).text());
    }
}
