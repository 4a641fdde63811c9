// Owners and what they own.
#include "stubs.h"

struct engine {
    char *serial;
    int power;
};
struct car {
    struct engine *engine;
    char *plate;
    struct car *trailer;
};

static struct car *car_new(const char *plate) {
    struct car *car = calloc(1, sizeof *car);
    if (!car)
        return NULL;
    car->engine = calloc(1, sizeof *car->engine);
    car->plate = strdup(plate);
    if (!car->engine || !car->plate) {
        free(car->plate);
        free(car->engine);
        free(car);
        return NULL;
    }
    return car;
}

static void car_free(struct car *car) {
    if (!car)
        return;
    if (car->engine)
        free(car->engine->serial);
    free(car->engine);
    free(car->plate);
    free(car);
}

int whole_car_ok(const char *plate) {
    struct car *car = car_new(plate);
    if (!car)
        return -1;
    car_free(car);
    return 0;
}

struct engine *engine_taken_out_ok(const char *plate) {
    struct car *car = car_new(plate);
    if (!car)
        return NULL;
    struct engine *engine = car->engine;
    car->engine = NULL;
    car_free(car);
    return engine;
}

int plate_forgotten_bad(const char *plate) {
    struct car *car = calloc(1, sizeof *car);
    if (!car)
        return -1;
    car->plate = strdup(plate);    //~ memory-leak "car->plate"
    int ok = car->plate != NULL;
    free(car);
    return ok;
}

int body_only_bad(const char *plate) {
    struct car *car = car_new(plate);    //~ memory-leak
    if (!car)
        return -1;
    free(car->plate);
    free(car);
    return 0;
}

int serial_forgotten_bad(const char *plate, const char *serial) {
    struct car *car = car_new(plate);
    if (!car)
        return -1;
    car->engine->serial = strdup(serial);    //~ memory-leak
    free(car->engine);
    car->engine = NULL;
    car_free(car);
    return 0;
}
