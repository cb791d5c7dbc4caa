    #ifndef __DEEPLOY_HEADER__
    #define __DEEPLOY_HEADER__
        void RunNetwork();
        void InitNetwork();
extern int8_t* DeeployNetwork_MEMORYARENA_L3;
static const uint32_t DeeployNetwork_MEMORYARENA_L3_len = 26010;
extern int8_t* DeeployNetwork_MEMORYARENA_L2;
static const uint32_t DeeployNetwork_MEMORYARENA_L2_len = 26010;
extern int8_t* DeeployNetwork_MEMORYARENA_L1;
static const uint32_t DeeployNetwork_MEMORYARENA_L1_len = 9300;
extern uint8_t* DeeployNetwork_input_0;
static const uint32_t DeeployNetwork_input_0_len = 3267;
extern uint8_t* DeeployNetwork_output_0;
static const uint32_t DeeployNetwork_output_0_len = 10;
    #endif
