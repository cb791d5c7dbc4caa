#include "pmsis.h"
#include "pulp_nn_kernels.h"
#include "mchan_siracusa.h"
#include "Network.h"
int8_t* DeeployNetwork_MEMORYARENA_L3;
int8_t* DeeployNetwork_MEMORYARENA_L2;
int8_t* DeeployNetwork_MEMORYARENA_L1;
uint8_t* DeeployNetwork_input_0;
uint8_t* DeeployNetwork_output_0;
int8_t* DeeployNetwork_model0_QL_weight_tensor;
int32_t* DeeployNetwork_model0_QL_mul_tensor;
int32_t* DeeployNetwork_model0_QL_add_tensor;
int8_t* DeeployNetwork_model1_QL_weight_tensor;
int32_t* DeeployNetwork_model1_QL_mul_tensor;
int32_t* DeeployNetwork_model1_QL_add_tensor;
int8_t* DeeployNetwork_model2_QL_weight_tensor;
int32_t* DeeployNetwork_model2_QL_mul_tensor;
int32_t* DeeployNetwork_model2_QL_add_tensor;
int8_t* DeeployNetwork_model3_QL_weight_tensor;
int32_t* DeeployNetwork_model3_QL_mul_tensor;
int32_t* DeeployNetwork_model3_QL_add_tensor;
int8_t* DeeployNetwork_model4_QL_weight_tensor;
int32_t* DeeployNetwork_model4_QL_mul_tensor;
int32_t* DeeployNetwork_model4_QL_add_tensor;
int8_t* DeeployNetwork_fc_weight_tensor;
int32_t* DeeployNetwork_fc_bias_tensor;
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_numTiles[2] = {0, 3};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_dim_im_out_x[3] = {11, 11, 11};
static void __MERGE_CONVRQ_PASS_0_closure(void* args){
// RequantizedConv (Name: _MERGE_CONVRQ_PASS_0, Op: RequantizedConv)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_0_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17424);
int8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_0_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 20691);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_0_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 21123);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_0_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 21187);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_0_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 5808);
int8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7095);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7959);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 8023);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_0_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
void* DeeployNetwork__MERGE_CONVRQ_PASS_0_buffer = (void*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7527);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_numTiles[2] = {0, 5};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_dim_im_out_x[5] = {4, 4, 4, 4, 1};
static void __MERGE_CONVRQ_PASS_1_closure(void* args){
// RequantizedDWConv (Name: _MERGE_CONVRQ_PASS_1, Op: RequantizedDWConv)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_1_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_1_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 22048);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_1_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 22192);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_1_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 22256);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_1_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17424);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 5840);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 5984);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 6048);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_1_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 4752);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_numTiles[2] = {0, 2};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_dim_im_out_x[2] = {9, 8};
static void __MERGE_CONVRQ_PASS_2_closure(void* args){
// RequantizedConv (Name: _MERGE_CONVRQ_PASS_2, Op: RequantizedConv)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_2_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 8670);
int8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_2_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 13294);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_2_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 13774);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_2_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 13894);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_2_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 4590);
int8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7038);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7518);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7638);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_2_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_numTiles[2] = {0, 3};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_dim_im_out_x[3] = {6, 6, 5};
static void __MERGE_CONVRQ_PASS_3_closure(void* args){
// RequantizedDWConv (Name: _MERGE_CONVRQ_PASS_3, Op: RequantizedDWConv)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_3_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_3_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17340);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_3_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17610);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_3_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17730);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_3_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 8670);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7140);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7410);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7530);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_3_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 4080);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_numTiles[2] = {0, 3};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_dim_im_out_x[3] = {8, 8, 1};
static void __MERGE_CONVRQ_PASS_4_closure(void* args){
// RequantizedConv (Name: _MERGE_CONVRQ_PASS_4, Op: RequantizedConv)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_4_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_4_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17340);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_4_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 18240);
int32_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_4_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 18360);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_CONVRQ_PASS_4_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 8670);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
int8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_weight_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 8160);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_mul_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 9060);
int32_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_add_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 9180);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_CONVRQ_PASS_4_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 4080);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1__MERGE_ADDRQ_PASS_0_numTiles[2] = {0, 3};
static void __MERGE_ADDRQ_PASS_0_closure(void* args){
// RequantizedAdd (Name: _MERGE_ADDRQ_PASS_0, Op: RequantizedAdd)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_ADDRQ_PASS_0_data_in_1_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_ADDRQ_PASS_0_data_in_2_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 8670);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2__MERGE_ADDRQ_PASS_0_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 17340);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_ADDRQ_PASS_0_data_in_1_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_ADDRQ_PASS_0_data_in_2_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 3060);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1__MERGE_ADDRQ_PASS_0_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 6120);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1_MaxPool_6_numTiles[2] = {0, 1};
static void _MaxPool_6_closure(void* args){
// MaxPool (Name: MaxPool_6, Op: MaxPool)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2_MaxPool_6_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2_MaxPool_6_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 8670);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1_MaxPool_6_data_in_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1_MaxPool_6_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7650);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_numTiles[2] = {0, 2};
static PI_L1 uint16_t DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_O[2] = {5, 5};
static void _Gemm_8_closure(void* args){
// Gemm (Name: Gemm_8, Op: Gemm)
uint8_t* DeeployNetwork_TILING_CODEGEN_L2_Gemm_8_A_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 14700);
int8_t* DeeployNetwork_TILING_CODEGEN_L2_Gemm_8_B_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
int32_t* DeeployNetwork_TILING_CODEGEN_L2_Gemm_8_C_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 16170);
int32_t* DeeployNetwork_TILING_CODEGEN_L2_Gemm_8_data_out_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 16210);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_A_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 7350);
int8_t* DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_B_ref = (int8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
int32_t* DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_C_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 8820);
int32_t* DeeployNetwork_TILING_CODEGEN_L1_Gemm_8_data_out_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 8840);
}
static PI_L1 uint8_t DeeployNetwork_TILING_CODEGEN_L1_iSoftmax_9_numTiles[2] = {0, 1};
static void _iSoftmax_9_closure(void* args){
// iSoftmax (Name: iSoftmax_9, Op: iSoftmax)
int32_t* DeeployNetwork_TILING_CODEGEN_L2_iSoftmax_9_data_in_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L2_iSoftmax_9_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L2 + 40);
int32_t* DeeployNetwork_TILING_CODEGEN_L1_iSoftmax_9_data_in_ref = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 0);
uint8_t* DeeployNetwork_TILING_CODEGEN_L1_iSoftmax_9_data_out_ref = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 80);
void* DeeployNetwork_iSoftmax_9_lastDimBuffer = (void*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 40);
}
        void RunNetwork(){
uint8_t* DeeployNetwork_input1_tensor;
uint8_t* DeeployNetwork_input4_tensor;
uint8_t* DeeployNetwork_input7_tensor;
uint8_t* DeeployNetwork_input10_tensor;
uint8_t* DeeployNetwork_input13_tensor;
uint8_t* DeeployNetwork_onnxAdd_16_tensor;
uint8_t* DeeployNetwork_onnxMaxPool_18_tensor;
uint8_t* DeeployNetwork_onnxReshape_20_tensor;
int32_t* DeeployNetwork_onnxGemm_22_tensor;
{
DeeployNetwork_input1_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 0);
// __MERGE_CONVRQ_PASS_0_closure_L3 CLOSURE CALL
__MERGE_CONVRQ_PASS_0_closure_L3(&args);
}
{
DeeployNetwork_input4_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 17424);
// __MERGE_CONVRQ_PASS_1_closure_L3 CLOSURE CALL
__MERGE_CONVRQ_PASS_1_closure_L3(&args);
}
{
DeeployNetwork_input7_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 0);
// __MERGE_CONVRQ_PASS_2_closure_L3 CLOSURE CALL
__MERGE_CONVRQ_PASS_2_closure_L3(&args);
}
{
DeeployNetwork_input10_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 8670);
// __MERGE_CONVRQ_PASS_3_closure_L3 CLOSURE CALL
__MERGE_CONVRQ_PASS_3_closure_L3(&args);
}
{
DeeployNetwork_input13_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 17340);
// __MERGE_CONVRQ_PASS_4_closure_L3 CLOSURE CALL
__MERGE_CONVRQ_PASS_4_closure_L3(&args);
}
{
DeeployNetwork_onnxAdd_16_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 8670);
// __MERGE_ADDRQ_PASS_0_closure_L3 CLOSURE CALL
__MERGE_ADDRQ_PASS_0_closure_L3(&args);
}
{
DeeployNetwork_onnxMaxPool_18_tensor = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 0);
// _MaxPool_6_closure_L3 CLOSURE CALL
_MaxPool_6_closure_L3(&args);
}
{
// Reshape (Name: Reshape_7, Op: Reshape)
DeeployNetwork_onnxReshape_20_tensor = DeeployNetwork_onnxMaxPool_18_tensor;
}
{
DeeployNetwork_onnxGemm_22_tensor = (int32_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 2940);
// _Gemm_8_closure_L3 CLOSURE CALL
_Gemm_8_closure_L3(&args);
}
{
// _iSoftmax_9_closure_L3 CLOSURE CALL
_iSoftmax_9_closure_L3(&args);
}
        }
        void InitNetwork(){
DeeployNetwork_MEMORYARENA_L3 = (int8_t*) pi_malloc(sizeof(int8_t) * 26010);
DeeployNetwork_MEMORYARENA_L2 = (int8_t*) pi_malloc(sizeof(int8_t) * 26010);
DeeployNetwork_MEMORYARENA_L1 = (int8_t*) pi_malloc(sizeof(int8_t) * 9300);
DeeployNetwork_input_0 = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 17424);
DeeployNetwork_output_0 = (uint8_t*) ((char*)DeeployNetwork_MEMORYARENA_L3 + 0);
    }
